/** A process with nothing but the terminal in it, which repeats what it is told. Says on stderr why it ended. */
import { terminal } from '../../../channels/terminal/index.ts';
import type { BareDeletion, Conversation, InboundEvent } from '../../../src/contract.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';

const adapter = terminal.create({});
let answered: Promise<unknown> = Promise.resolve();

async function repeat(event: InboundEvent | BareDeletion): Promise<void> {
  if (event.type === 'deletion' || event.type === 'membership') return;
  const markdown = event.type === 'action' ? `You pressed ${event.actionId}` : `You said **${event.text}**`;
  const buttons = [[{ actionId: 'ok', label: 'Yes', shortcut: 'y', style: 'primary' }]] as const;
  const isAsked = event.type === 'message' && event.text === 'ask';
  const kind = isAsked ? 'card' : 'reply';
  await adapter
    .send(event.conversation, { id: 'm1', kind, markdown, ...(isAsked && { buttons }) })
    .catch((error: unknown) => console.error(String(error)));
}

async function end(reason: string): Promise<void> {
  await adapter.stop();
  console.error(reason);
  clearInterval(alive);
}

const alive = setInterval(() => {}, 60_000);
await adapter.start({
  async receive(event) {
    answered = repeat(event);
    return {};
  },
  async moved() {},
  conversations: async () => [],
  async whenIdle(_conversation: Conversation) {
    await answered;
  },
  reportHealth() {},
  reportEnd: () => void end('ended'),
  requestStop: () => void end('asked to stop'),
  commands: [],
  log: silentLog,
  clock: systemClock,
});
