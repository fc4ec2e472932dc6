import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Device, deviceChannel } from '../../conversation/access/access.ts';
import type { CommandGroup, GivenCommand } from '../../conversation/commands/given-command.ts';
import { unknownWordWords } from '../../conversation/commands/help.ts';
import { firstWord, type Origin } from '../../engine/message.ts';
import type { ChannelPort, Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { untilAborted } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { inlineCode, nameCode, oneLine } from '../../lib/plain-text.ts';
import { clockTime, dayWords, durationWords, isSameDay, type Reader } from '../../lib/time-words.ts';
import type { DevicesCore } from './device-book.ts';
import { createDeviceFiles } from './gateway/device-files.ts';
import type { openGateway } from './gateway/server.ts';
import { createDeviceFileStore, createSessionStore } from './gateway/tables.ts';
import { type DeviceSettings, deviceSettings } from './settings.ts';
import { createDeviceStore, deviceTables } from './tables.ts';

type Gateway = Awaited<ReturnType<typeof openGateway>>;

/** Paired phones, browsers and scripts: their gateway, their chats and the tools they offer. */
export const devices: FeatureDefinition = {
  name: 'devices',
  settings: deviceSettings,
  tables: deviceTables,
  make: makeDevices,
};

async function makeDevices(given: FeatureCore): Promise<Feature> {
  const { database, config } = given;
  const settings = given.settings(deviceSettings);
  const files = createDeviceFiles(createDeviceFileStore(database), join(config.data_dir, 'device-files'));
  const stored = { devices: createDeviceStore(database), sessions: createSessionStore(database), files };
  const core: DevicesCore = { ...given, stored };
  const open = async () =>
    settings.gateway.enabled ? (await import('./gateway/server.ts')).openGateway(core) : undefined;
  let gateway = await open();
  let port: ChannelPort | undefined;
  return {
    commands: [deviceCommands(core, () => gateway)],
    channels: gateway === undefined ? [] : [gateway.channel],
    async start(channels) {
      port = channels;
    },
    // Devices reconnect by themselves.
    async reload({ from, to }) {
      if (isDeepStrictEqual(partsOf(deviceSettings.read(from)), partsOf(deviceSettings.read(to)))) return;
      if (gateway !== undefined) await port?.detach(gateway.channel[0]);
      gateway?.close();
      gateway = await open();
      if (gateway === undefined) core.health.forget(deviceChannel);
      else await port?.attach(...gateway.channel);
    },
    async faults(over) {
      if (gateway === undefined) return [];
      await untilAborted(core.health.whenTried([deviceChannel]), over);
      const health = core.health.of(deviceChannel)?.health;
      if (health === undefined || !('reason' in health)) return [];
      return [{ place: ['gateway'], words: `The gateway could not start: ${health.reason}` }];
    },
  };
}

/** The settings that need a new gateway. All others are read when used. */
function partsOf({ gateway, remote_tools }: DeviceSettings) {
  const { enabled, host, port, allowed_hosts, allowed_origins, max_frame_bytes, hello_secs } = gateway;
  return enabled && { host, port, allowed_hosts, allowed_origins, max_frame_bytes, hello_secs, remote_tools };
}

/** 39 bits: the gateway limits guesses. */
const codeLength = 8;
const longestName = 60;

/** The commands `/device` (pairs) and `/devices` (lists and revokes). */
function deviceCommands(core: DevicesCore, gatewayNow: () => Gateway | undefined): CommandGroup {
  const settings = core.settings(deviceSettings);
  const { accounts, rules, stored, stop, halt, readers, clock } = core;
  return {
    // Third-party clients use `/pair` for a device. In other chats it lets a person in.
    takes: ({ name, argument }, { conversation }) =>
      name === 'device' ||
      name === 'devices' ||
      (name === 'pair' && argument === '' && conversation.channel === deviceChannel),
    help: { section: 'yours', text: '`/device NAME`, `/devices`: your phones, browsers and scripts' },
    async obey(given) {
      const { name, argument, origin, answer } = given;
      const gateway = gatewayNow();
      if (gateway === undefined) return answer(noGateway);
      if (origin.conversation.kind === 'group') return answer(notHere);
      if (name !== 'devices') return offer(given, gateway);
      const { word, rest } = firstWord(argument);
      if (word === 'revoke') return revoke(firstWord(rest).word, given, gateway);
      if (word !== '') return answer(unknownWordWords('devices', word, ['revoke'], usage));
      const moment = { now: clock.now(), reader: readers.forAnswer(origin) };
      return answer(devicesReport(own(origin, gateway), gateway.isOnline, moment));
    },
  };

  async function offer({ argument, origin, answer, obey }: GivenCommand, gateway: Gateway): Promise<void> {
    const { code_secs, max_devices_per_person: most } = settings.gateway;
    const codeLifetime = code_secs * 1000;
    const { principal, conversation } = origin;
    // A stolen device must not pair another one.
    if (conversation.channel === deviceChannel) return answer(notFromDevice);
    // Only people who are let in by name may pair a device, not those who talk because everybody may.
    const mayBring = rules.isLetIn(principal);
    if (!mayBring) return answer(unknown(principal));
    if (own(origin, gateway).length >= most) return answer(full(most));
    const name = oneLine(argument, longestName);
    const code = newId(codeLength);
    const offered = { code, expiresAt: clock.now() + codeLifetime, name: name || undefined };
    const obeyed = await obey(stored.devices.offer(offered), () => codeWords(code, offered.name, codeLifetime));
    if (obeyed.status === 'done') gateway.codeGiven();
  }

  async function revoke(id: string, { origin, answer, end }: GivenCommand, gateway: Gateway): Promise<void> {
    const found = own(origin, gateway).find((one) => one.id === id.toLowerCase());
    if (found === undefined) return answer(none);
    const words = `Revoked: ${nameCode(found.name)} is cut off.`;
    let goOn = (): void => {};
    let putBack = (): void => {};
    await end(stored.devices.revoke(found.id), () => words, {
      held: words,
      now() {
        putBack = gateway.devices.remove(found.id);
        gateway.hangUpOn(found.id);
        goOn = halt(stored.devices.runsOf(found.id));
      },
      over(isStored) {
        if (!isStored) putBack();
        goOn();
      },
      ended({ ended, settled }) {
        gateway.aborted(settled);
        for (const conversationId of ended) stop(conversationId);
      },
    });
  }

  function own({ principal }: Origin, { devices }: Gateway) {
    return devices.all(accounts.accountsOf(principal));
  }
}

const noGateway =
  'No device can be paired: the gateway is off. The operator turns it on with `gateway.enabled` in my config.';
const notHere = 'Write that to me in a chat of our own: the code is not for a group to read.';
const notFromDevice = 'Ask for that in another chat, not on a device that was paired itself.';
const none = `You have no device with that id. ${inlineCode('/devices')} shows those that you have.`;
const usage = 'Say `/devices`, or `/devices revoke ID`.';

function unknown(principal: string): string {
  const [channel = '', id] = principal.split(/:(.*)/s);
  return [
    'You may talk to me because everybody may; devices are only for people I know.',
    `An owner can let you in by your id: ${inlineCode(`"${id}"`)} in ${inlineCode(`channels.${channel}.allow_from`)} of my config. Then ask me again.`,
  ].join(' ');
}

function full(most: number): string {
  return `You have ${most} devices, which is the limit. End one first: ${inlineCode('/devices')} shows them.`;
}

function codeWords(code: string, name: string | undefined, lifetime: number): string {
  const what = name === undefined ? 'the device' : nameCode(name);
  return [
    `📱 Type this code on ${what}: ${inlineCode(spelled(code))}`,
    `It is good once, for ${durationWords(lifetime)}. Anybody with it can talk to me as you, and offer me tools: show it to nobody.`,
  ].join('\n\n');
}

/** When somebody asks, and by which clock they read. */
interface Moment {
  readonly now: number;
  readonly reader: Reader;
}

function devicesReport(devices: readonly Device[], isOnline: (id: string) => boolean, moment: Moment): string {
  if (devices.length === 0) return 'No device of yours is paired. `/device NAME` pairs one.';
  const lines = devices.map((device) => {
    const seen = isOnline(device.id) ? 'connected now' : seenWords(device.lastSeenAt, moment);
    return `- ${inlineCode(device.id)}: ${nameCode(device.name)}, paired on ${dayWords(device.createdAt, moment.reader)}, ${seen}`;
  });
  return ['Your devices:', ...lines, '', 'End one with `/devices revoke ID`, pair another with `/device NAME`.'].join(
    '\n',
  );
}

function spelled(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

function seenWords(at: number | undefined, { now, reader }: Moment): string {
  if (at === undefined) return 'never connected';
  return `last connected ${isSameDay(at, now, reader) ? `at ${clockTime(at, reader)}` : `on ${dayWords(at, reader)}`}`;
}
