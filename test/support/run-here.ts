import type { RunInWorker } from '../../src/tools/guard/worker/run-in-worker.ts';

/** Does the work in the thread of the test, without bounds: quicker, where the work is harmless and the thread not the point. */
export const runHere: RunInWorker = async ({ module, name }, input) => {
  const { [name]: work } = await import(module);
  return { type: 'done', value: await work(input) };
};
