import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import type { CrashPoints } from '../../src/lib/crash-points.ts';

// The daemon, which dies where KEYTURN_CRASH_AT says: "call-begun:2 reply-sent" kills the first process when it reaches
// call-begun for the second time, and the second process at its first reply-sent; later ones live. What has happened
// stands in the file `crashes` in the working directory, a line for each.

const [{ runCommand }, { channelLoaders: loaders, channelSettings: settings }] = await Promise.all([
  import('../../src/cli/run-command.ts'),
  import('../../channels/index.ts'),
  import('../../src/cli/commands/start.ts'),
]);
// Who is killed writes no cache at their end.
flushCompileCache();
await runCommand({ process, channels: async () => ({ loaders, settings }), crashPoint: nextCrash() });

function nextCrash(): CrashPoints {
  const plan = (process.env.KEYTURN_CRASH_AT ?? '').split(' ');
  const happened = existsSync('crashes') ? readFileSync('crashes', 'utf8').split('\n').length - 1 : 0;
  const [wanted, times = '1'] = plan[happened]?.split(':') ?? [];
  let left = Number(times);
  return (point) => {
    if (point !== wanted) return;
    left -= 1;
    if (left > 0) return;
    appendFileSync('crashes', `${point}\n`);
    process.kill(process.pid, 'SIGKILL');
  };
}
