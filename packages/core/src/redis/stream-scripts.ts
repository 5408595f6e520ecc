// Each runs as one step. KEYS: the state of a stream (a hash), its events (a Redis stream, whose ids are their numbers).
// Time is the server's: clocks of replicas differ.

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** ARGV: run, lease in ms, what a stream is kept for that nobody ends, the run that it replaces or nothing. */
export const BEGIN = `${NOW}
local run, outcome = unpack(redis.call('HMGET', KEYS[1], 'run', 'outcome'))
local makes_way = outcome == 'refused' or (outcome and run == ARGV[4])
if run and not makes_way then return run == ARGV[1] and 1 or 0 end
-- First what needs memory: after it has written anything, Redis refuses a script no more.
redis.call('HSET', KEYS[1], 'run', ARGV[1], 'count', 0, 'read', now, 'lease', now + ARGV[2])
redis.call('HDEL', KEYS[1], 'outcome', 'end')
redis.call('DEL', KEYS[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

/** ARGV: run, number, event, channel, what a stream is kept for that nobody ends. */
export const APPEND = `
local run, outcome, count = unpack(redis.call('HMGET', KEYS[1], 'run', 'outcome', 'count'))
if run ~= ARGV[1] or outcome then return 0 end
local number = tonumber(ARGV[2])
if number <= tonumber(count) then return 1 end
redis.call('XADD', KEYS[2], number .. '-0', 'e', ARGV[3])
redis.call('HSET', KEYS[1], 'count', number)
if number == 1 then redis.call('PEXPIRE', KEYS[2], ARGV[5]) end
redis.call('PUBLISH', ARGV[4], 'more')
return 1`;

/** ARGV: run, lease in ms, what a stream is kept for that nobody ends. */
export const RENEW = `${NOW}
local run, outcome, read, lease = unpack(redis.call('HMGET', KEYS[1], 'run', 'outcome', 'read', 'lease'))
if run ~= ARGV[1] or outcome then return {0, 0} end
-- Where memory is full, the old lease goes on.
redis.pcall('HSET', KEYS[1], 'lease', now + ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return {1, math.max(0, now - read)}`;

/** ARGV: run or nothing, outcome, end, what it is kept for, channel. */
export const FINISH = `
local run, outcome = unpack(redis.call('HMGET', KEYS[1], 'run', 'outcome'))
if not run or outcome or (ARGV[1] ~= '' and run ~= ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'outcome', ARGV[2], 'end', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
redis.call('PUBLISH', ARGV[5], 'end')
return 1`;

/** ARGV: number, what a stream is kept for that turns out to be cut or lost, channel, how many events at most. */
export const READ = `${NOW}
local run, outcome, count, finish, lease =
  unpack(redis.call('HMGET', KEYS[1], 'run', 'outcome', 'count', 'end', 'lease'))
if not run then return false end
-- Where memory is full, readers get what there is all the same.
redis.pcall('HSET', KEYS[1], 'read', now)
local function over(why)
  outcome = why
  finish = '{"outcome":"' .. why .. '"}'
  redis.pcall('HSET', KEYS[1], 'outcome', outcome, 'end', finish, 'count', count)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
  redis.call('PUBLISH', ARGV[3], 'end')
end
if not outcome and now > tonumber(lease) then over('cut') end
local first = ARGV[1] + 1
local events = {}
if first <= tonumber(count) then
  local found = redis.call('XRANGE', KEYS[2], string.format('%.0f-0', first), '+', 'COUNT', ARGV[4])
  if #found == 0 or found[1][1] ~= string.format('%.0f-0', first) then
    redis.call('DEL', KEYS[2])
    count = 0
    over('lost')
  else
    for index, entry in ipairs(found) do events[index] = entry[2][2] end
  end
end
return {run, tonumber(count), finish or '', events}`;
