import { onTestFinished } from 'vitest';
import type { Button, ChannelAdapter, OutboundMessage } from '../../src/contract.ts';
import { RecordingHost } from '../support/recording-host.ts';
import { contains, waitUntil } from '../support/wait-for.ts';
import type { Open } from './channel-setting.ts';
import type { Platform } from './platform.ts';

export interface Connected<Kind extends Platform> {
  readonly platform: Kind;
  readonly adapter: ChannelAdapter;
  readonly host: RecordingHost;
}

/** A platform that is closed after the test. */
export async function opened<Kind extends Platform>(open: Open<Kind>): Promise<Kind> {
  const platform = await open();
  onTestFinished(() => platform.close());
  return platform;
}

/** Starts another adapter on the platform, for a host that has talked there before. It is stopped after the test. */
export async function start(platform: Platform, host = new RecordingHost()): Promise<Connected<Platform>> {
  host.knownConversations = [platform.home];
  const adapter = platform.connect();
  onTestFinished(() => adapter.stop());
  await adapter.start(host);
  return { platform, adapter, host };
}

/** A platform, and an adapter alone that receives from it. */
export async function connected<Kind extends Platform>(open: Open<Kind>): Promise<Connected<Kind>> {
  const platform = await opened(open);
  const { adapter, host } = await start(platform);
  await host.is('connected');
  await platform.ready?.();
  return { platform, adapter, host };
}

/** Stops the adapter. Time passes faster meanwhile: nobody waits until it gives up what it cannot end. */
export async function stopped(adapter: ChannelAdapter, { clock }: RecordingHost): Promise<void> {
  let isStopped = false;
  const stopping = adapter.stop().then(() => {
    isStopped = true;
  });
  await waitUntil(() => isStopped, { what: 'the adapter to stop', meanwhile: () => clock.advance(250) });
  await stopping;
}

/** Resolves when the owner reads this at home. With a clock, time passes faster meanwhile: nobody waits for the pace of edits. */
export async function sees(
  platform: Platform,
  words: string | RegExp,
  clock?: { advance(milliseconds: number): void },
): Promise<void> {
  const look = (): boolean => contains(platform.seen(), words);
  const describe = (): string => `There is:\n${platform.seen().slice(-4_000)}`;
  const meanwhile = (): void => clock?.advance(500);
  await waitUntil(look, { what: `the owner to read ${String(words)}`, describe, meanwhile });
}

/** How often the owner reads this at home. */
export function timesSeen(platform: Platform, words: string): number {
  return platform.seen().split(words).length - 1;
}

export function reply(markdown: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  return { id: 'm1', kind: 'reply', markdown, ...more };
}

const approve: Button = { actionId: 'ap:k3f9abcd:a', label: 'Approve', shortcut: 'y', style: 'primary' };
const deny: Button = { actionId: `ap:${'k'.repeat(59)}:d`, label: 'Deny', shortcut: 'n', style: 'danger' };

/** A card with two buttons. The action of the second is as long as one may be. */
export const buttons = { approve, deny } as const;

export function card(markdown = 'May I deploy?'): OutboundMessage {
  return { id: 'c1', kind: 'card', markdown, buttons: [[approve, deny]] };
}
