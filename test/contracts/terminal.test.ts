import { beforeEach, vi } from 'vitest';
import { channelContract } from './channel-contract.ts';
import { daemonContract } from './daemon-contract.ts';
import { TerminalPlatform } from './terminal-platform.ts';

beforeEach(() => {
  // Where TERM says that the terminal is dumb, Node's readline does not draw.
  vi.stubEnv('TERM', 'xterm');
});

const atKeyboard = (): Promise<TerminalPlatform> => TerminalPlatform.atKeyboard();
const atPipe = (): Promise<TerminalPlatform> => TerminalPlatform.atPipe();

for (const contract of [channelContract, daemonContract]) {
  contract('a keyboard', { open: atKeyboard, interrupting: atKeyboard, streaming: atKeyboard });
  contract('a pipe', { open: atPipe, persistent: atPipe });
}
