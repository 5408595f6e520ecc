// Preloaded by vitest.nest-11.config.ts: lets every part of Nest 11, which is installed under other names,
// find the other parts of Nest 11.
const Module = require("node:module");

const resolveFilename = Module._resolveFilename;
const here = module;

Module._resolveFilename = function (request, parent, ...rest) {
  const aliased = request.replace(
    /^(@nestjs\/(?:common|core|platform-express|terminus|testing))(?=\/|$)/,
    "$1-11",
  );
  return aliased === request
    ? resolveFilename.call(this, request, parent, ...rest)
    : resolveFilename.call(this, aliased, here, ...rest);
};
