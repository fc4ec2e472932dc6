import { beforeEach, vi } from 'vitest';
import { channelContract } from './channel-contract.ts';
import { TerminalPlatform } from './terminal-platform.ts';

beforeEach(() => {
  // Where TERM says that the terminal is dumb, Node's readline does not draw.
  vi.stubEnv('TERM', 'xterm');
});

const atKeyboard = (): Promise<TerminalPlatform> => TerminalPlatform.atKeyboard();
const atPipe = (): Promise<TerminalPlatform> => TerminalPlatform.atPipe();

channelContract('a keyboard', { open: atKeyboard, interrupting: atKeyboard, streaming: atKeyboard });
channelContract('a pipe', { open: atPipe, persistent: atPipe });
