import { type HtmlInput, readHtml } from '../../../../src/tools/builtin/web/read-html.ts';

/** Reads the page in the worker. Returns how long that kept its thread on the processor, in ms. */
export function timedReading(input: HtmlInput): number {
  const before = process.threadCpuUsage();
  readHtml(input);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
