import { replay, simulate } from "@model-gateway/emulator/simulation";
import { nestVideos } from "./scenarios/nest-videos.js";

const [runs = "50", seed = "1"] = process.argv.slice(2);
const hashes: string[] = [];
const options = { app: nestVideos, maxVirtualMs: 600_000 };
const report = await simulate({
  ...options,
  runs: Number(runs),
  seed: Number(seed),
  onRun: ({ seed, result }) => {
    hashes.push(result.hash);
    if (process.env["V"]) console.log(seed, result.violation);
  },
});
console.log(report, (report.runs / report.wallMs) * 1000);
if (process.env["SHOW"]) console.log((await replay(options, Number(seed))).story.join("\n"));
if (!report.failure) {
  let same = 0;
  for (let s = 0; s < Math.min(Number(runs), 20); s++)
    if ((await replay(options, Number(seed) + s)).hash === hashes[s]) same++;
  console.log("same", same);
}
