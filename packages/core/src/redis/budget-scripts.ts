// Each runs as one step. KEYS: the accounts (a hash: ends, limit, spent, reserved, levels told), what is open (a hash:
// amount, state, lease, ends, task, account, the rest as JSON). Numbers are texts of 17 digits, which lose nothing.

const BOOKS = `
local levels = {0.5, 0.8, 1}
local function exact(x)
  if x == math.floor(x) then return x end
  return math.floor(x * 1e6 + 0.5) / 1e6
end
local function text(x) return string.format('%.17g', x) end
local function account_of(name)
  local found = redis.call('HGET', KEYS[1], name)
  if not found then return nil end
  local ends, limit, spent, reserved, told = string.match(found, '^(%S+) (%S+) (%S+) (%S+) (%S+)$')
  return {name = name, ends = tonumber(ends), limit = tonumber(limit), spent = tonumber(spent),
    reserved = tonumber(reserved), told = tonumber(told)}
end
local function parse(found)
  if not found then return nil end
  local amount, state, lease, ends, task, account, rest =
    string.match(found, '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (.*)$')
  return {amount = tonumber(amount), state = state, lease = lease, ends = ends, task = task, account = account, rest = rest}
end
local function open_of(id) return parse(redis.call('HGET', KEYS[2], id)) end
local function write_open(id, held)
  redis.call('HSET', KEYS[2], id, table.concat(
    {text(held.amount), held.state, held.lease, held.ends, held.task, held.account, held.rest}, ' '))
end
local function kind_of(held) return held.state == 'unresolved' and 'spent' or 'reserved' end
local function put(account, held, sign)
  local kind = kind_of(held)
  account[kind] = exact(account[kind] + sign * held.amount)
end
local function write_account(account, full)
  local before = account.told
  local reached = 0
  for count, level in ipairs(levels) do
    if full or account.spent >= level * account.limit then reached = count end
  end
  account.told = math.max(before, reached)
  redis.call('HSET', KEYS[1], account.name, table.concat({text(account.ends), text(account.limit),
    text(account.spent), text(account.reserved), text(account.told)}, ' '))
  return {text(account.ends), text(account.limit), text(account.spent), text(account.reserved), before, account.told}
end
local function revive(id, held, account)
  if held.state ~= 'unresolved' then return end
  put(account, held, -1)
  held.state = 'running'
  put(account, held, 1)
end
`;

/** ARGV: id, amount, lease, ends, account, rest, limit, whether it refuses, how long keys are kept in ms. */
export const RESERVE = `${BOOKS}
local id, amount, limit = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[7])
local held = open_of(id)
local known = held ~= nil
held = held or {amount = 0, state = 'running', lease = ARGV[3], ends = ARGV[4], task = '-', account = ARGV[5], rest = ARGV[6]}
local account = account_of(held.account) or
  {name = held.account, ends = tonumber(held.ends), limit = limit, spent = 0, reserved = 0, told = 0}
account.limit = limit
local more = math.max(0, amount - held.amount)
local granted = more == 0 or exact(account.spent + account.reserved + more) <= limit
if granted then
  if known then revive(id, held, account) end
  account.reserved = exact(account.reserved + more)
  held.amount = exact(held.amount + more)
  held.state = 'running'
  held.lease = ARGV[3]
  write_open(id, held)
end
local state = write_account(account, not granted and ARGV[8] == '1' and amount <= limit)
for _, key in ipairs(KEYS) do
  if redis.call('PTTL', key) < tonumber(ARGV[9]) then redis.call('PEXPIRE', key, ARGV[9]) end
end
return {granted and 1 or 0, unpack(state)}`;

/** ARGV: id, amount or nothing for what was reserved. */
export const SETTLE = `${BOOKS}
local held = open_of(ARGV[1])
if not held then return nil end
local account = account_of(held.account)
-- First: after it has written anything, Redis refuses a script no more, also where its memory is full.
redis.call('HDEL', KEYS[2], ARGV[1])
if not account then return nil end
put(account, held, -1)
account.spent = exact(account.spent + (tonumber(ARGV[2]) or held.amount))
return {held.account, unpack(write_account(account, false))}`;

/** ARGV: id, state, amount, spent, task. */
export const HOLD = `${BOOKS}
local held = open_of(ARGV[1])
if not held then return nil end
local account = account_of(held.account)
if not account then return nil end
put(account, held, -1)
held.state = ARGV[2]
held.amount = tonumber(ARGV[3])
if ARGV[5] ~= '-' then held.task = ARGV[5] end
put(account, held, 1)
account.spent = exact(account.spent + tonumber(ARGV[4]))
write_open(ARGV[1], held)
return {held.account, unpack(write_account(account, false))}`;

/** ARGV: lease, ids. */
export const RENEW = `${BOOKS}
for index = 2, #ARGV do
  local held = open_of(ARGV[index])
  if held then
    local account = held.state == 'unresolved' and account_of(held.account)
    if account then
      revive(ARGV[index], held, account)
      write_account(account, false)
    end
    held.lease = ARGV[1]
    write_open(ARGV[index], held)
  end
end
return 1`;

/** ARGV: now, how long accounts are kept after their windows, and reservations, in ms, whether to forget accounts. */
export const SWEEP = `${BOOKS}
local now = tonumber(ARGV[1])
local found, used = {}, {}
local all = redis.call('HGETALL', KEYS[2])
for index = 1, #all, 2 do
  local id, held = all[index], parse(all[index + 1])
  if tonumber(held.ends) + tonumber(ARGV[3]) < now then
    redis.call('HDEL', KEYS[2], id)
  else
    used[held.account] = true
    if held.state == 'running' and tonumber(held.lease) <= now then
      local account = account_of(held.account)
      if account then put(account, held, -1) end
      held.state = 'unresolved'
      write_open(id, held)
      if account then
        put(account, held, 1)
        write_account(account, false)
      end
      table.insert(found, id)
      table.insert(found, redis.call('HGET', KEYS[2], id))
    end
  end
end
if ARGV[4] ~= '1' then return found end
local rows = redis.call('HGETALL', KEYS[1])
for index = 1, #rows, 2 do
  local ends = tonumber(string.match(rows[index + 1], '^(%S+)'))
  if ends + tonumber(ARGV[2]) < now and not used[rows[index]] then redis.call('HDEL', KEYS[1], rows[index]) end
end
return found`;
