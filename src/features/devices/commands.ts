import { hash } from 'node:crypto';
import { type Device, deviceChannel, isFromDevice } from '../../conversation/access/access.ts';
import { type CommandVariant, defineCommands, type ObeyedCommand } from '../../conversation/commands/definition.ts';
import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import { unknownWordWords } from '../../conversation/commands/help.ts';
import { lineOfPage, numbered, pageNumber, pageOf, rowsOfPage } from '../../conversation/commands/pages.ts';
import type { WaitingMatter } from '../../conversation/commands/reports/waiting-matter.ts';
import { firstWord, type Origin } from '../../engine/message.ts';
import { newId } from '../../lib/ids.ts';
import { inlineCode, nameCode, oneLine, personWords } from '../../lib/plain-text.ts';
import { clockTime, dayWords, durationWords, isSameDay, type Reader } from '../../lib/time-words.ts';
import { actingButton, type ListAnswer, leadingButton } from '../../words/command-buttons.ts';
import type { DeviceBook, DevicesCore } from './device-book.ts';
import type { Gateway } from './gateway/gateway.ts';
import { HaltedRuns } from './halting.ts';
import type { WaitingCode } from './tables.ts';
import { deviceWords } from './words.ts';

/** `/device` pairs one; `/devices` lists and revokes them. */
export const deviceCommands = defineCommands(deviceWords, {
  device: { section: 'yours', order: 250 },
  devices: { section: 'yours', order: 260 },
});

interface DeviceParts extends DevicesCore {
  readonly devices: DeviceBook;
  /** The gateway, while it is on. */
  readonly gatewayNow: () => Gateway | undefined;
}

/** What the feature adds. */
interface DeviceCommands {
  readonly commands: readonly ObeyedCommand[];
  readonly commandVariants: readonly CommandVariant[];
}

export function obeyedDeviceCommands(parts: DeviceParts): DeviceCommands {
  const device = (given: GivenCommand) => offer(given, parts);
  return {
    commands: deviceCommands.obeyed({
      device,
      devices: (given) => manage(given, parts),
    }),
    commandVariants: [
      {
        // Third-party clients use `/pair` for a device. In other chats it lets a person in.
        name: 'pair',
        takes: ({ argument }, { conversation }) => argument === '' && conversation.channel === deviceChannel,
        obey: device,
      },
    ],
  };
}

/** 39 bits: the gateway limits guesses. */
const codeLength = 8;
const longestName = 60;

async function offer({ argument, origin, answer, obey, reader }: GivenCommand, parts: DeviceParts): Promise<void> {
  const { rules, own: settings, stored, clock, gatewayNow } = parts;
  const { code_secs, max_devices_per_person: most } = settings.gateway;
  const codeLifetime = code_secs * 1000;
  const { principal, conversation } = origin;
  const words = deviceWords[reader.language];
  if (!settings.gateway.enabled) return answer(words.noGateway);
  if (conversation.kind === 'group') return answer(words.notHere);
  // A stolen device must not pair another one.
  if (isFromDevice(origin)) return answer(words.notFromDevice);
  // Only people who are let in by name may pair a device, not those who talk because everybody may.
  if (!rules.isLetIn(principal)) return answer(unknownWords(principal, reader));
  const paired = own(origin, parts).filter(({ isBrowser }) => !isBrowser);
  if (paired.length >= most) return answer(words.full({ most }));
  const name = oneLine(argument, longestName) || undefined;
  const code = newId(codeLength);
  const told = words.code({
    name: name && nameCode(name),
    code: inlineCode(spelled(code)),
    lifetime: durationWords(codeLifetime, reader.language),
  });
  const obeyed = await obey(stored.devices.offer({ code, expiresAt: clock.now() + codeLifetime, name }), () => told);
  if (obeyed.status === 'done') gatewayNow()?.codeGiven();
}

function unknownWords(principal: string, { language }: Reader): string {
  const [channel = '', id] = principal.split(/:(.*)/s);
  const key = inlineCode(`channels.${channel}.allow_from`);
  return deviceWords[language].unknownPerson({ id: inlineCode(`"${id}"`), key });
}

function spelled(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

async function manage(given: GivenCommand, parts: DeviceParts): Promise<void> {
  const { argument, origin, answer, list, reader } = given;
  const words = deviceWords[reader.language];
  const devices = own(origin, parts);
  if (!parts.own.gateway.enabled && parts.devices.all().length === 0) return answer(words.noGateway);
  if (origin.conversation.kind === 'group') return answer(words.notHere);
  const { word, rest } = firstWord(argument);
  if (word === 'cancel') return cancelCode(firstWord(rest).word, given, parts);
  if (word === 'revoke') {
    const { word: id } = firstWord(rest);
    const doubted = endedBy(origin, parts).find((device) => `${device.id}?` === id.toLowerCase());
    return doubted === undefined ? revoke(id, given, parts) : list(questionAbout(doubted, reader));
  }
  if (word !== '' && pageNumber(word) === undefined)
    return answer(unknownWordWords({ command: 'devices', word }, ['revoke', 'cancel'], words.usage, reader.language));
  const page = pageOf(devices, pageNumber(word));
  const now = parts.clock.now();
  const lines = page.entries.map(([number, device]) =>
    numbered(number, deviceLine(device, parts.gatewayNow()?.isOnline(device.id) === true, now, reader)),
  );
  const buttons = page.entries.map(([number, { id }]) =>
    leadingButton(words.buttonDisconnect({ number }), `devices revoke ${id}?`),
  );
  return list({
    markdown: words.list({ lines, canPair: parts.own.gateway.enabled }),
    again: lineOfPage('devices', page),
    rows: rowsOfPage(buttons, { ...page, command: 'devices' }, reader.language),
  });
}

/** The codes that wait to be typed on a device: a person's own and, for owners, all. A group reads along. */
export async function waitingCodes(origin: Origin, parts: DeviceParts): Promise<readonly WaitingMatter[]> {
  const { conversation } = origin;
  if (parts.gatewayNow() === undefined || conversation.kind !== 'direct' || isFromDevice(origin)) return [];
  const reader = parts.readers.forAnswer(origin);
  const words = deviceWords[reader.language];
  const codes = await codesFor(origin, parts);
  return codes.map((code) => ({
    id: `device-code:${codeId(code)}`,
    markdown: words.codeWaits({
      name: code.deviceName && nameCode(code.deviceName),
      person: personWords({ principal: code.principal, name: code.personName }),
      time: clockTime(code.expiresAt, reader),
    }),
    buttons: [actingButton(words.buttonCancelCode, `devices cancel ${codeId(code)}`)],
  }));
}

async function codesFor({ principal }: Origin, { stored, accounts, owners, clock }: DeviceParts) {
  const codes = await stored.devices.codes(clock.now());
  if (owners.isOwner(principal)) return codes;
  const theirs = accounts.accountsOf(principal);
  return codes.filter((code) => theirs.includes(code.principal));
}

/** Names a code without a word of it; another code of the same person has another one. */
function codeId({ principal, expiresAt }: WaitingCode): string {
  return hash('sha256', `${principal} ${expiresAt}`).slice(0, 10);
}

async function cancelCode(
  id: string,
  { origin, answer, obey, reader }: GivenCommand,
  parts: DeviceParts,
): Promise<void> {
  const words = deviceWords[reader.language];
  const found = (await codesFor(origin, parts)).find((code) => codeId(code) === id.toLowerCase());
  if (found === undefined) return answer(words.noSuchCode);
  await obey(parts.stored.devices.cancelCode(found), (wasThere) => (wasThere ? words.codeCancelled : words.noSuchCode));
}

/** Asked before a device is cut off for good. */
function questionAbout({ id, name, isBrowser }: Device, { language }: Reader): ListAnswer {
  const words = deviceWords[language];
  return {
    markdown: words.askDisconnect({ name: nameCode(name), isBrowser }),
    again: 'devices',
    rows: [
      [
        actingButton(words.buttonDisconnectNamed({ name }), `devices revoke ${id}`, 'danger'),
        leadingButton(words.buttonKeep, 'devices'),
      ],
    ],
  };
}

async function revoke(id: string, { origin, answer, end, reader }: GivenCommand, parts: DeviceParts): Promise<void> {
  const { devices, stored, stop, gatewayNow } = parts;
  const words = deviceWords[reader.language];
  const found = endedBy(origin, parts).find((one) => one.id === id.toLowerCase());
  if (found === undefined) return answer(words.noSuchDevice);
  const told = words.revoked({ name: nameCode(found.name) });
  const halted = new HaltedRuns(found.id, parts);
  let putBack: (() => void) | undefined;
  try {
    await end(stored.devices.revoke(found.id), () => told, {
      held: told,
      now() {
        putBack = devices.remove(found.id);
        gatewayNow()?.hangUpOn(found.id);
        halted.begin();
      },
      over(isStored) {
        if (!isStored) putBack?.();
        halted.over();
      },
      ended({ ended, settled }) {
        gatewayNow()?.aborted(settled);
        for (const conversationId of ended) stop(conversationId);
      },
    });
  } finally {
    await halted.settled();
  }
}

function own({ principal }: Origin, { accounts, devices }: DeviceParts): readonly Device[] {
  return devices.all(accounts.accountsOf(principal));
}

/** The devices that a person may cut off: their own; all, for an owner. */
function endedBy(origin: Origin, parts: DeviceParts): readonly Device[] {
  return parts.owners.isOwner(origin.principal) ? parts.devices.all() : own(origin, parts);
}

function deviceLine(device: Device, isOnline: boolean, now: number, reader: Reader): string {
  const words = deviceWords[reader.language];
  return words.deviceLine({
    name: nameCode(device.name),
    isBrowser: device.isBrowser,
    pairedOn: dayWords(device.createdAt, reader),
    seen: isOnline ? words.connectedNow : seenWords(device.lastSeenAt, now, reader),
  });
}

function seenWords(at: number | undefined, now: number, reader: Reader): string {
  const words = deviceWords[reader.language];
  if (at === undefined) return words.neverConnected;
  return isSameDay(at, now, reader)
    ? words.lastConnectedAt({ time: clockTime(at, reader) })
    : words.lastConnectedOn({ day: dayWords(at, reader) });
}
