import { describe, expect, it } from "vitest";
import { findCurrencies } from "./currencies.js";

const codes = (text: string) => findCurrencies(text).map(({ code }) => code);

describe("currencies", () => {
  it.each([
    ["Convert 250 dollars to euros.", ["USD", "EUR"]],
    ["100 USD in CHF", ["USD", "CHF"]],
    ["How many yen are £5?", ["JPY", "GBP"]],
    ["20 Canadian dollars", ["CAD"]],
    ["Rechne 80 Euro in Schweizer Franken um", ["EUR", "CHF"]],
    ["500 schwedische Kronen", ["SEK"]],
    ["把250美元换算成欧元", ["USD", "EUR"]],
    ["一百英镑是多少人民币", ["GBP", "CNY"]],
    ["50港币换日元", ["HKD", "JPY"]],
    ["$5 and 3 €", ["USD", "EUR"]],
    ["Try to buy two pounds of apples", []],
    ["100 TRY", ["TRY"]],
    ["元旦快乐", []],
    ["The wonderful dollarhouse", []],
  ])("%s", (text, expected) => {
    expect(codes(text)).toEqual(expected);
  });
});
