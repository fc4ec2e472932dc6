// Runs in a process before its own code (`--import`): writes how long its event loop was held up at most, every so often.
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = process.env.KEYTURN_TEST_LOOP_DELAY;
if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  setInterval(() => {
    // In ms.
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), longest: delay.max / 1e6 })}\n`);
    delay.reset();
  }, 100).unref();
}
