import { beforeEach, vi } from 'vitest';
import { channelContract } from './channel-contract.ts';
import { daemonContract } from './daemon-contract.ts';
import { openKeyboard, openPipe } from './terminal-platform.ts';

beforeEach(() => {
  // Where TERM says that the terminal is dumb, Node's readline does not draw.
  vi.stubEnv('TERM', 'xterm');
});

for (const contract of [channelContract, daemonContract]) {
  contract('a keyboard', { open: openKeyboard, interrupting: openKeyboard, streaming: openKeyboard });
  contract('a pipe', { open: openPipe, persistent: openPipe });
}
