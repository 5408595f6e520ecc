import { expect, it } from "vitest";
import { classify } from "./classify.js";

const SENTIMENT = ["positive", "negative", "neutral"];

it.each<[text: string, labels: string[], label: string]>([
  ["We loved the friendly staff.", SENTIMENT, "positive"],
  ["The soup was cold and the waiter rude.", SENTIMENT, "negative"],
  ["The food was not good.", SENTIMENT, "negative"],
  ["The table has four legs.", SENTIMENT, "neutral"],
  ["Das Essen war lecker.", ["negativ", "positiv"], "positiv"],
  ["Das Zimmer war nicht sauber.", ["positiv", "negativ"], "negativ"],
  ["服务很好，我很满意。", ["负面", "正面"], "正面"],
  ["房间不干净。", ["正面", "负面"], "负面"],
  ["My parcel has not arrived.", ["Billing", "Shipping", "Other"], "Shipping"],
  ["The app crashes when I log in.", ["Billing", "Technical issue"], "Technical issue"],
  ["Mir wurde doppelt abgebucht.", ["Versand", "Rechnung"], "Rechnung"],
  ["我的包裹还没送到。", ["账单", "物流"], "物流"],
  ["You have won a prize, click here!", ["order", "spam"], "spam"],
  ["Bitte liefern Sie 20 Kartons Papier.", ["Frage", "Bestellung"], "Bestellung"],
  ["The team scored in the final match.", ["politics", "sports"], "sports"],
  ["Parliament voted on the new law.", ["sports", "politics"], "politics"],
  ["What is the weather on Mars?", ["billing", "other"], "other"],
  ["Rain is forecast for the coast.", ["weather", "cooking"], "weather"],
])("%s", (text, labels, label) => {
  expect(classify(text, labels)).toBe(label);
});
