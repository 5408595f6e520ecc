import { fillSchema } from "./fill-schema.js";
import { TextSource } from "./text-source.js";
export const now = Date.UTC(2026, 2, 2, 9);
export function args(text: string, properties: Record<string, unknown>, required = Object.keys(properties), isRequest = true) {
  return fillSchema({ type: "object", properties, required }, new TextSource(text, { now, answer: () => text, isRequest })).value;
}
const s = { type: "string" }, n = { type: "number" }, i = { type: "integer" }, b = { type: "boolean" }, d = { type: "string", format: "date" };
const show = (...a: Parameters<typeof args>) => console.log(a[0].slice(0, 70), "→", JSON.stringify(args(...a)));
show("Book a flight from Berlin to New York for 2 passengers on 2026-03-12", { origin: s, destination: s, passengers: i, date: d });
show("Book me two seats on a flight from Berlin to New York", { origin: s, destination: s, passengers: i, date: d }, ["origin", "destination"]);
show("Ticket from Maria Lopez (maria@x.io): my order #A-1042 arrived broken! Please refund me urgently.", { customer_name: s, order_number: s, sentiment: { enum: ["positive", "negative", "neutral"] }, priority: { enum: ["low", "medium", "high", "urgent"] }, needs_refund: b }, undefined, false);
show("The invoice INV-2024-77 totals $1,250.50, due 2026-01-31, from Acme Corp.", { invoice_id: s, total: n, due_date: s, vendor_name: s, paid: { type: ["boolean", "null"] } }, undefined, false);
