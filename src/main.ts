#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `Keyturn runs on Node 24, and this is Node ${process.versions.node}: start it with \`npm start\`, which brings its own.\n`,
  );
  process.exit(1);
}

// Halves the time to start. Beside the code, not in the shared temporary folder, where others could put code of theirs.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/keyturn', import.meta.url)));
const [{ runDaemon }, { channelLoaders, channelSettings }, { noCrashPoints }] = await Promise.all([
  import('./cli/run-daemon.ts'),
  import('../channels/index.ts'),
  import('./lib/crash-points.ts'),
]);
await runDaemon({ process, channelLoaders, channelSettings, crashPoint: noCrashPoints });
