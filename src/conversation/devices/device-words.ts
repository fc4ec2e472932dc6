import { durationWords } from '../../lib/duration.ts';
import { clockTime, dayWords, isSameDay } from '../../lib/local-time.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { Device } from './device-store.ts';

/** What a person is shown who wants to pair a device. */
export function codeWords(code: string, name: string | undefined, lifetime: number): string {
  const what = name === undefined ? 'the device' : `**${escapeMarkdown(name)}**`;
  return [
    `📱 Type this code on ${what}: ${inlineCode(spelled(code))}`,
    `It is good once, for ${durationWords(lifetime)}. Whoever has it talks with me as you do, and offers me tools: show it to nobody.`,
  ].join('\n\n');
}

/** What the person is told whose device was paired. */
export function pairedWords({ id, name }: Device): string {
  return `📱 Paired: **${escapeMarkdown(oneLine(name, 60))}**. If that was not you, end it with ${inlineCode(`/devices revoke ${id}`)}.`;
}

/** What `/devices` shows. */
export function devicesReport(devices: readonly Device[], isOnline: (id: string) => boolean, now: number): string {
  if (devices.length === 0) return 'No device of yours is paired. `/device NAME` pairs one.';
  const lines = devices.map((device) => {
    const seen = isOnline(device.id) ? 'connected now' : seenWords(device.lastSeenAt, now);
    return `- ${inlineCode(device.id)}: ${escapeMarkdown(oneLine(device.name, 60))}, paired on ${dayWords(device.createdAt)}, ${seen}`;
  });
  return ['Your devices:', ...lines, '', 'End one with `/devices revoke ID`, pair another with `/device NAME`.'].join(
    '\n',
  );
}

/** In two halves, which are easier to type. */
function spelled(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

function seenWords(at: number | undefined, now: number): string {
  if (at === undefined) return 'never connected';
  return `last connected ${isSameDay(at, now) ? `at ${clockTime(at)}` : `on ${dayWords(at)}`}`;
}
