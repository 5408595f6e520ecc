import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { Document } from "@langchain/core/documents";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { RunnableLambda, RunnablePassthrough, RunnableSequence } from "@langchain/core/runnables";
import { MarkdownTextSplitter } from "@langchain/textsplitters";
import type { ModelGateway } from "@model-gateway/core";
import { ChatModelGateway, ModelGatewayEmbeddings } from "@model-gateway/langchain";
import { expectThat, type StepResult, startProgress } from "./step.js";

interface Question {
  text: string;
  /** What a right answer holds; undefined when the documents do not say. */
  answer?: RegExp;
}

const QUESTIONS: Question[] = [
  { text: "Which environment variable holds the API key?", answer: /MODEL_GATEWAY_API_KEY/ },
  { text: "What is the largest number of redirects that a download follows?", answer: /five/i },
  { text: "Who won the football world cup in 1998?" },
];

const PROMPT = ChatPromptTemplate.fromMessages([
  [
    "system",
    "Answer the question from the context only. If the context does not hold the answer, say so.\n\nContext:\n{context}",
  ],
  ["human", "Question: {question}"],
]);

/** Indexes the repository's own documentation and answers questions over it, with sources. */
export async function answerFromDocuments(
  gateway: ModelGateway,
  repository: string,
  output: string,
): Promise<StepResult> {
  const documents = await loadDocuments(repository);
  const chunks = await new MarkdownTextSplitter({ chunkSize: 700, chunkOverlap: 80 }).splitDocuments(
    documents,
  );
  const progress = startProgress("indexing", chunks.length);
  const embeddings = new ModelGatewayEmbeddings({ gateway, model: "local-embedding" });
  const store = new MemoryVectorStore(embeddings);
  const batchSize = 64;
  for (let start = 0; start < chunks.length; start += batchSize) {
    await store.addDocuments(chunks.slice(start, start + batchSize));
    progress.update(
      Math.min(start + batchSize, chunks.length),
      `${documents.length} files, ${chunks.length} passages`,
    );
  }
  progress.stop();

  const retriever = store.asRetriever({ k: 4 });
  const chain = RunnableSequence.from<string>([
    { question: new RunnablePassthrough<string>(), found: retriever },
    RunnablePassthrough.assign({
      context: new RunnableLambda({
        func: ({ found }: { found: Document[] }) => found.map(({ pageContent }) => pageContent).join("\n\n"),
      }),
    }),
    RunnablePassthrough.assign({
      answer: PROMPT.pipe(new ChatModelGateway({ gateway, model: "local-chat" })).pipe(
        new StringOutputParser(),
      ),
    }),
  ]);

  const report: string[] = ["# Answers from the documentation", ""];
  for (const { text, answer: expected } of QUESTIONS) {
    const { answer, found } = (await chain.invoke(text)) as { answer: string; found: Document[] };
    const sources = [...new Set(found.map(({ metadata }) => String(metadata["source"])))];
    const refused = /does not contain/i.test(answer);
    console.log(`  ? ${text}\n  ! ${answer.replaceAll("\n", "\n    ")}`);
    if (!refused) console.log(`    sources: ${sources.join(", ")}`);
    report.push(`## ${text}`, "", answer, "", ...(refused ? [] : [`Sources: ${sources.join(", ")}`, ""]));
    if (expected === undefined) expectThat(refused, `a refusal, because no document answers "${text}"`);
    else expectThat(expected.test(answer) && !refused, `an answer with ${expected} to "${text}"`);
  }
  const file = "answers.md";
  await writeFile(join(output, file), report.join("\n"));
  return { file };
}

/** Every page of documentation in the repository. */
async function loadDocuments(repository: string): Promise<Document[]> {
  const folders = ["packages", "examples"];
  const nested = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(repository, folder))).map((name) => join(repository, folder, name, "README.md")),
    ),
  );
  const pages = ["README.md", "AGENTS.md", "CONTRIBUTING.md", "wire/README.md", "wire/unknowns.md"];
  const paths = [...pages.map((page) => join(repository, page)), ...nested.flat()];
  const loaded = await Promise.all(
    paths.map(async (path) => {
      const pageContent = await readFile(path, "utf8").catch(() => undefined);
      return pageContent && new Document({ pageContent, metadata: { source: relative(repository, path) } });
    }),
  );
  return loaded.filter((document) => document instanceof Document);
}
