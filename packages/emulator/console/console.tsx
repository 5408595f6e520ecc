import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { render } from "preact";
import { Callbacks } from "./callbacks.js";
import { Calls } from "./calls.js";
import { Clock } from "./clock.js";
import "./console.css";
import { Faults } from "./faults.js";
import { Keys } from "./keys.js";
import { Ledger } from "./ledger.js";
import { calls, follow, isConnected } from "./live-calls.js";
import { Playground } from "./playground.js";
import { Replies } from "./replies.js";
import { State } from "./state.js";
import { Tasks } from "./tasks.js";

/** Pages by the first part of the address behind the `#`. */
const PAGES: Record<string, { title: string; show: (rest: string | undefined) => ComponentChildren }> = {
  calls: { title: "Calls", show: (id) => <Calls selected={id} /> },
  playground: { title: "Playground", show: () => <Playground /> },
  tasks: { title: "Tasks", show: () => <Tasks /> },
  callbacks: { title: "Callbacks", show: () => <Callbacks /> },
  keys: { title: "Keys", show: () => <Keys /> },
  ledger: { title: "Ledger", show: () => <Ledger /> },
  faults: { title: "Faults", show: () => <Faults /> },
  replies: { title: "Script", show: () => <Replies /> },
  clock: { title: "Clock", show: () => <Clock /> },
  state: { title: "State", show: () => <State /> },
};
const THEMES = ["system", "light", "dark"];
const THEME = "model-gateway-emulator-theme";

const address = signal(location.hash);
const theme = signal(localStorage.getItem(THEME) ?? "system");

function App() {
  const [, name = "", rest] = address.value.split("/");
  const current = Object.hasOwn(PAGES, name) ? name : "calls";
  return (
    <>
      <button type="button" class="skip" onClick={() => document.querySelector("main")?.focus()}>
        Skip to content
      </button>
      <header class="top">
        <h1>
          Model Gateway <span class="dim">emulator</span>
        </h1>
        <nav aria-label="Pages">
          {Object.entries(PAGES).map(([page, { title }]) => (
            <a key={page} href={`#/${page}`} aria-current={page === current ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <div class="aside">
          <span role="status" class={isConnected.value ? "live" : "live off"}>
            {isConnected.value ? `${calls.value.length} calls` : "not connected"}
          </span>
          <button type="button" class="quiet" onClick={nextTheme}>
            Theme: {theme.value}
          </button>
        </div>
      </header>
      <main tabIndex={-1} key={current}>
        {PAGES[current]?.show(rest === "" ? undefined : rest)}
      </main>
    </>
  );
}

function nextTheme(): void {
  const at = THEMES.indexOf(theme.value);
  theme.value = THEMES[(at + 1) % THEMES.length] ?? "system";
}

theme.subscribe((value) => {
  localStorage.setItem(THEME, value);
  document.documentElement.dataset["theme"] = value;
});
addEventListener("hashchange", () => {
  address.value = location.hash;
});
follow();
render(<App />, document.body);
