import type { DeviceFacts, PeopleFacts } from '../../../conversation/access/people-facts.ts';
import type { Language } from '../../../lib/words.ts';
import { askDaemon } from '../../ask-daemon.ts';
import { columns } from '../../columns.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { instantWords, seeWords } from './words.ts';

/** `people`: who may talk, and who asks to. */
export async function people(context: CommandContext): Promise<number> {
  const { asJson, print, language } = context;
  const facts = await askDaemon<PeopleFacts>(context, {
    request: 'people',
    fields: ['owners', 'paired', 'waiting', 'refused', 'linked'],
  });
  print(asJson ? JSON.stringify(facts, undefined, 2) : peopleText(facts, Date.now(), language));
  return exitCodes.done;
}

/** For a person. */
export function peopleText(facts: PeopleFacts, now: number, language: Language): string {
  const say = seeWords[language];
  const until = (at: number): string => say.until({ at: instantWords(at, now, language) });
  const parts = [
    { head: say.ownersHead, rows: facts.owners.map((principal) => [principal]) },
    {
      head: say.pairedHead,
      rows: facts.paired.map(({ principal, name, by, at }) => [
        principal,
        name,
        say.letInBy({ by, at: instantWords(at, now, language) }),
      ]),
    },
    { head: say.waitingHead, rows: facts.waiting.map((one) => [one.principal, one.name, until(one.until)]) },
    { head: say.refusedHead, rows: facts.refused.map((one) => [one.principal, one.name, until(one.until)]) },
    { head: say.linkedHead, rows: facts.linked.map((accounts) => [accounts.join(', ')]) },
  ];
  const shown = parts.filter(({ rows }) => rows.length > 0);
  return shown.length === 0 ? say.nobody : shown.flatMap(({ head, rows }) => [head, ...columns(rows)]).join('\n');
}

/** `devices`: what is paired, and where people have signed in. */
export async function devices(context: CommandContext): Promise<number> {
  const { asJson, print, language } = context;
  const facts = await askDaemon<{ readonly devices: readonly DeviceFacts[] }>(context, {
    request: 'devices',
    fields: ['devices'],
  });
  print(asJson ? JSON.stringify(facts, undefined, 2) : devicesText(facts.devices, Date.now(), language));
  return exitCodes.done;
}

/** For a person. */
export function devicesText(listed: readonly DeviceFacts[], now: number, language: Language): string {
  const say = seeWords[language];
  if (listed.length === 0) return say.noDevices;
  return columns(
    listed.map(({ id, name, isBrowser, person, personName, lastSeenAt }) => [
      id,
      isBrowser ? say.browser({ name }) : name,
      `${personName} (${person})`,
      say.lastSeen({ at: lastSeenAt === undefined ? undefined : instantWords(lastSeenAt, now, language) }),
    ]),
  ).join('\n');
}
