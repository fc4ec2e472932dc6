import { config as setZod } from 'zod';

// Schemas parse the config once and small inputs later: compiling them costs more than it saves.
setZod({ jitless: true });
const [{ runDaemon }, { channelLoaders, channelSettings }] = await Promise.all([
  import('./cli/run-daemon.ts'),
  import('../channels/index.ts'),
]);
await runDaemon({ process, channelLoaders, channelSettings });
