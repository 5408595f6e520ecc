import sparticuz from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";

/** A headless browser that comes from npm alone. */
export async function launchBrowser(extraArguments: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: await sparticuz.executablePath(),
    args: [...sparticuz.args, ...extraArguments],
    headless: true,
  });
}
