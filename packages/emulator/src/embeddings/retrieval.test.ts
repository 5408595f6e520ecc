import { describe, expect, it } from "vitest";
import { startEmulator } from "../testing/start-emulator.js";

const DOCUMENTS = {
  refunds:
    "You can send back any item within 30 days of delivery. We reimburse the full amount to your card.",
  shipping: "Standard delivery takes three to five business days; express parcels arrive the next morning.",
  vacation:
    "Full-time staff receive 25 days of annual leave per year, which must be approved by a supervisor.",
  remote: "Employees may work from home up to three days a week after their first month.",
  password: "To reset your password, open the sign-in page and click on the link below the form.",
  rateLimits: "Each API key may send 60 requests per minute; beyond that the server answers 429.",
  battery: "The built-in battery lasts ten hours and charges to eighty percent in forty minutes.",
  warranty: "The manufacturer repairs defects free of charge for two years after purchase.",
  photosynthesis: "Plants turn sunlight, water and carbon dioxide into sugar and oxygen.",
  moon: "The Moon circles the Earth once in about 27 days and causes the tides.",
  sourdough:
    "Feed the sourdough starter with flour and water, let the dough rise and bake the loaf in a hot oven.",
  coffee: "For a good espresso, grind the beans finely and brew for about 25 seconds.",
  python: "Python lists are mutable sequences; append adds an element to the end.",
  kubernetes: "A Kubernetes deployment keeps the wanted number of pods running in the cluster.",
  backups:
    "Database snapshots are taken every night and kept for 14 days, so that lost records can be restored.",
  parking: "Visitors may leave their cars in the underground garage next to the main entrance.",
  eiffel: "The Eiffel Tower in Paris was built in 1889 and is 330 metres tall.",
  marathon: "To train for a marathon, raise your weekly running distance slowly and rest before the race.",
  allergies: "Our kitchen uses nuts, milk and wheat; guests with allergies should tell the waiter.",
  invoice: "Invoices are sent by email on the first of each month and are due within two weeks.",
  phishing: "Never open attachments from unknown senders; report suspicious mails to the security team.",
  recycling: "Glass and paper go into separate bins; batteries must be taken to a collection point.",
  退货: "商品签收后七天内可以申请退货，退款会在三个工作日内到账。",
  年假: "员工每年享有十五天年假，需要提前一周向经理申请。",
  高铁: "从北京到上海的高铁大约需要四个半小时，车票可以在网上购买。",
  天气: "今天北京晴，气温二十五度，适合户外活动。",
} as const;

type DocumentName = keyof typeof DOCUMENTS;

const QUESTIONS: readonly [question: string, answer: DocumentName][] = [
  ["How do I get my money back?", "refunds"],
  ["Can I return a product I bought?", "refunds"],
  ["When will my package arrive?", "shipping"],
  ["How long does shipping take?", "shipping"],
  ["How many holidays do employees get?", "vacation"],
  ["Who approves time off?", "vacation"],
  ["Is telework allowed?", "remote"],
  ["How many days a week can I work remotely?", "remote"],
  ["I forgot my login credentials", "password"],
  ["change my passphrase", "password"],
  ["What happens when I call the API too often?", "rateLimits"],
  ["throttling of requests", "rateLimits"],
  ["How long can I use the device without charging?", "battery"],
  ["How fast does it recharge?", "battery"],
  ["What is covered by the guarantee?", "warranty"],
  ["Who fixes a broken device for free?", "warranty"],
  ["How do plants make oxygen?", "photosynthesis"],
  ["What do leaves do with carbon dioxide?", "photosynthesis"],
  ["What causes the tides?", "moon"],
  ["lunar orbit duration", "moon"],
  ["How do I bake bread?", "sourdough"],
  ["recipe for a loaf with starter", "sourdough"],
  ["How fine should I grind coffee beans?", "coffee"],
  ["brewing time of an espresso", "coffee"],
  ["Add an item to a list in Python", "python"],
  ["Are Python lists mutable?", "python"],
  ["keep containers running in a cluster", "kubernetes"],
  ["What does a deployment do in k8s pods?", "kubernetes"],
  ["How long are backups retained?", "backups"],
  ["Can deleted data be recovered?", "backups"],
  ["Where can guests park their vehicle?", "parking"],
  ["Is there a car park?", "parking"],
  ["How high is the Eiffel Tower?", "eiffel"],
  ["When was the tower in Paris constructed?", "eiffel"],
  ["How should I prepare for a long run?", "marathon"],
  ["Do you have food without nuts?", "allergies"],
  ["I am allergic to dairy", "allergies"],
  ["When do I have to pay my bill?", "invoice"],
  ["What should I do with a strange email attachment?", "phishing"],
  ["Where do I throw away old batteries?", "recycling"],
  ["怎么退款？", "退货"],
  ["我可以退货吗", "退货"],
  ["一年有多少天假期？", "年假"],
  ["北京到上海坐火车多久", "高铁"],
  ["今天天气怎么样？", "天气"],
];

describe("the embedding model", () => {
  it("finds the right one of 26 documents first for at least nine of ten questions", async () => {
    const { openai } = await startEmulator();
    const embed = async (input: string[]) =>
      (await openai.embeddings.create({ model: "local-embedding", input })).data.map(
        ({ embedding }) => embedding,
      );
    const names = Object.keys(DOCUMENTS) as DocumentName[];
    const documents = await embed(Object.values(DOCUMENTS));
    const questions = await embed(QUESTIONS.map(([question]) => question));

    const misses = QUESTIONS.filter(([, answer], index) => {
      const scores = documents.map((document) => dot(document, questions[index] ?? []));
      return names[scores.indexOf(Math.max(...scores))] !== answer;
    });

    expect(QUESTIONS.length).toBeGreaterThanOrEqual(40);
    expect(
      misses.map(([question]) => question).length / QUESTIONS.length,
      misses.join("\n"),
    ).toBeLessThanOrEqual(0.1);
  });

  it("finds documents across languages by their concepts", async () => {
    const { openai } = await startEmulator();
    const { data } = await openai.embeddings.create({
      model: "local-embedding",
      input: ["退款", "Refunds are paid within a week.", "The weather is fine today."],
    });
    const [query, refund, weather] = data.map(({ embedding }) => embedding);
    expect(dot(query ?? [], refund ?? [])).toBeGreaterThan(dot(query ?? [], weather ?? []));
  });
});

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
}
