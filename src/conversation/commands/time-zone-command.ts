import { escapeMarkdown, inlineCode } from '../../lib/plain-text.ts';
import { zonedWords } from '../../lib/time-words.ts';
import { readTimeZone, zoneFault, zoneName } from '../../lib/time-zone-names.ts';
import type { HeldZone } from '../access/time-zones.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { CommandEffects } from '../effects.ts';
import type { GivenCommand } from './given-command.ts';
import { commandWords } from './words.ts';

interface TimeZoneParts extends Pick<ConversationCore, 'timeZones' | 'accounts' | 'clock'> {
  readonly effects: Pick<CommandEffects, 'timeZone'>;
}

/** `/timezone`: shows which time zone holds for the person, and why; sets it, or forgets what they have set. */
export async function timeZone(given: GivenCommand, parts: TimeZoneParts): Promise<void> {
  const { argument, origin, answer } = given;
  const { timeZones } = parts;
  timeZones.learn(origin.principal, origin.timeZone);
  if (argument === '') return show(given, timeZones.of(origin.principal, origin.conversation), parts);
  if (/^(?:off|reset|none|default)$/i.test(argument)) return set(given, undefined, parts);
  const reading = readTimeZone(argument);
  return reading.type === 'zone'
    ? set(given, reading.timeZone, parts)
    : answer(escapeMarkdown(zoneFault(argument, reading, given.reader.language)));
}

async function set(
  { origin: { principal }, obey, reader }: GivenCommand,
  wanted: string | undefined,
  { timeZones, accounts, clock, effects }: TimeZoneParts,
): Promise<void> {
  const words = commandWords[reader.language];
  const obeyed = await obey(effects.timeZone(wanted, accounts.accountsOf(principal)), () => {
    if (wanted === undefined) return words.zoneForgotten;
    return words.zoneSet({ zone: zoneCode(wanted), time: zonedWords(clock.now(), wanted, reader.language) });
  });
  if (obeyed.status === 'done') timeZones.set(principal, wanted);
}

function show(
  { answer, reader, origin }: GivenCommand,
  held: HeldZone,
  { clock }: Pick<TimeZoneParts, 'clock'>,
): Promise<void> {
  const time = zonedWords(clock.now(), held.timeZone, reader.language);
  const words = commandWords[reader.language];
  return answer(
    words.zoneHeld({ zone: zoneCode(held.timeZone), time, source: held.source, channel: origin.conversation.channel }),
  );
}

function zoneCode(timeZoneName: string): string {
  return inlineCode(zoneName(timeZoneName));
}
