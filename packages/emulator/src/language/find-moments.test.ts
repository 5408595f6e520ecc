import { afterEach, describe, expect, it, vi } from "vitest";
import { findMoments, MOMENT_RULES } from "./find-moments.js";

const MONDAY = Date.UTC(2026, 2, 2, 9);

function said(text: string, now = MONDAY): string {
  return findMoments(text, now)
    .map(({ date, time }) => [date, time?.slice(0, 5)].filter((part) => part !== undefined).join("T"))
    .join(" ");
}

afterEach(() => {
  vi.unstubAllEnvs();
});

const EXAMPLES = MOMENT_RULES.flatMap(({ examples }) => Object.entries(examples));

describe.each(["UTC", "Asia/Shanghai", "America/Los_Angeles"])("a moment, in the time zone %s,", (zone) => {
  it.each(EXAMPLES)("%s is %s", (text, expected) => {
    vi.stubEnv("TZ", zone);
    expect(said(text)).toBe(expected);
  });
});

describe("days that are the same each year", () => {
  it.each([
    ["on Christmas Eve", "2026-12-24"],
    ["New Year's Day", "2027-01-01"],
    ["until New Year’s Eve", "2026-12-31"],
    ["at Christmas", "2026-12-25"],
    ["on Christmas Day", "2026-12-25"],
    ["for Valentine's Day", "2027-02-14"],
    ["on Halloween at 7pm", "2026-10-31T19:00"],
  ])("%s is %s", (text, expected) => {
    expect(said(text)).toBe(expected);
  });
});

describe("moments of whole sentences", () => {
  it.each([
    ["Book a table for four at Luigi's tomorrow at 7pm, please.", "2026-03-03T19:00"],
    ["Meet me at 8:30 pm on Friday in room 12", "2026-03-06T20:30"],
    ["From 2026-04-01 until 2026-04-05", "2026-04-01 2026-04-05"],
    ["Fly out on May 3 and come back on May 10", "2026-05-03 2026-05-10"],
    ["Reserviere für morgen um 19 Uhr einen Tisch", "2026-03-03T19:00"],
    ["Guten Morgen, ich komme am Freitag um halb neun abends", "2026-03-06T20:30"],
    ["Ich reise vom 3. bis 7. Mai nach Rom", "2026-05-03 2026-05-07"],
    ["请帮我订明天晚上七点四个人的位子", "2026-03-03T19:00"],
    ["On 12 April, returning on the 19th", "2026-04-12 2026-04-19"],
    ["Am 28. April und dann am 3. um 9 Uhr", "2026-04-28 2026-05-03T09:00"],
    ["后天下午三点半开会，周五前交报告", "2026-03-04T15:30 2026-03-06"],
  ])("%s: %s", (text, expected) => {
    expect(said(text)).toBe(expected);
  });

  it.each([
    "You may 5 times try",
    "Version 4.2. startet schneller",
    "Invoice 2041 has 12 items",
    "Guten Tag, ich heiße Jan",
    "31.02.2026",
    "用三点概括主要内容",
    "他住在3号楼",
    "Good morning, how are you?",
    "Guten Morgen!",
  ])("are none in: %s", (text) => {
    expect(said(text)).toBe("");
  });

  it("take the coming day for a time alone, or the day that was spoken of before", () => {
    const [passed] = findMoments("at 8am", MONDAY);
    expect(passed).toMatchObject({ time: "08:00:00", impliedDate: "2026-03-03" });
    const [today] = findMoments("at 10am", MONDAY);
    expect(today).toMatchObject({ time: "10:00:00", impliedDate: "2026-03-02" });
    const [, end] = findMoments("on Friday from 2 pm until 4 pm", MONDAY);
    expect(end).toMatchObject({ time: "16:00:00", impliedDate: "2026-03-06" });
  });

  it("know leap days and ends of months", () => {
    expect(said("in a month", Date.UTC(2027, 0, 31))).toBe("2027-02-28");
    expect(said("on 29 February", MONDAY)).toBe("2028-02-29");
    expect(said("月底", Date.UTC(2028, 1, 10))).toBe("2028-02-29");
  });
});
