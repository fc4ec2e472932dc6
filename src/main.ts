import { config as setZod } from 'zod';

// Schemas read the config once and small things later: to compile each of them takes longer than that ever saves.
setZod({ jitless: true });
const [{ runDaemon }, { channelLoaders, channelSettings }, { noCrashPoints }] = await Promise.all([
  import('./cli/run-daemon.ts'),
  import('../channels/index.ts'),
  import('./lib/crash-points.ts'),
]);
await runDaemon({ process, channelLoaders, channelSettings, crashPoint: noCrashPoints });
