import { z } from 'zod';
import {
  block,
  bytes,
  count,
  listOf,
  mapOf,
  off,
  on,
  seconds,
  text,
  toolPattern,
  whole,
} from '../../config/setting-kinds.ts';
import { type SettingsOf, settingsPart } from '../../config/settings-part.ts';
import { deviceChannel } from '../../conversation/access/access.ts';
import { schemaText } from '../../lib/schema-text.ts';
import { toolCategories } from '../../tools/tool.ts';
import { gatewaySettingWords } from './settings/words.ts';

function wrong(key: 'host' | 'origin'): string {
  return schemaText((language) => gatewaySettingWords[language][key]);
}

/** The WebSocket and HTTP server for phones, browsers and scripts. */
const gateway = block({
  enabled: off.describe('Whether devices can connect. Their owner pairs each with /device NAME.'),
  host: text
    .default('127.0.0.1')
    .describe('The address where it listens. Other machines should go through a reverse proxy with TLS.'),
  port: whole(42_617, 0, 65_535).describe('The port. 0: any free one.'),
  allowed_hosts: listOf(z.string().regex(/^[a-z0-9._:[\]-]+$/i, wrong('host'))).describe(
    'Host names that devices may use, besides localhost, 127.0.0.1, [::1] and host: "keyturn.example.com".',
  ),
  allowed_origins: listOf(z.string().regex(/^[a-z][a-z0-9+.-]*:\/\/[^\s/]+$/i, wrong('origin'))).describe(
    'The origins of web pages that may connect: "https://app.example.com".',
  ),
  max_frame_bytes: whole(1_048_576, 1024, 16_777_216).describe('The longest frame that a device may send.'),
  max_frames_per_sec: count(100, 10_000).describe(
    'A device that sends more than this for longer than a moment is disconnected.',
  ),
  hello_secs: seconds(10).describe('How long a request may take to arrive, and a device to send its first frame.'),
  ping_secs: seconds(20).describe('How often a device is pinged. Two pings without an answer disconnect it.'),
  idle_secs: seconds(86_400).describe('A device that sends nothing for this long is disconnected. It may reconnect.'),
  code_secs: seconds(600).describe('How long a pairing code is valid.'),
  max_connections: count(256, 10_000).describe('The most connections at a time.'),
  max_connections_per_person: count(30, 1000).describe('The most connected devices and pages of one person.'),
  max_devices_per_person: count(20, 1000).describe('How many devices one person may pair.'),
  max_sessions_per_person: count(10_000, 1_000_000).describe('How many sessions one person may begin on devices.'),
});

const callTime = z.number().int().min(1).max(600);

/** The tools that devices may offer through the gateway, and how they are called. */
const remoteTools = block({
  enabled: on.describe('Whether devices may offer tools. false: they can only chat.'),
  allowed: z
    .record(text, z.array(toolPattern))
    .default({ '*': ['*'] })
    .describe('The tools that a device may offer, by its id or name. "*" stands for all other devices.'),
  categories: mapOf(toolPattern, z.enum(toolCategories)).describe(
    'What these tools touch, which decides whether a call asks. Default: hardware, so that each call asks.',
  ),
  timeout_secs: callTime
    .default(30)
    .describe('A call fails if the device is silent for this long, and after 600 seconds in any case.'),
  timeouts: mapOf(toolPattern, callTime).describe('The same for some tools, in seconds.'),
  max_result_bytes: bytes(10_485_760).describe('The largest result, with its files.'),
  idempotent: listOf(toolPattern).describe(
    'Tools that may safely run twice: they are called again if their device was disconnected and is back.',
  ),
});

/** The keys `gateway` and `remote_tools`. */
export const deviceSettings = settingsPart({
  keys: () =>
    z.object({
      gateway: gateway.describe('The WebSocket and HTTP server for phones, browsers and scripts: docs/gateway.md.'),
      remote_tools: remoteTools.describe('Tools that devices offer through the gateway: docs/gateway.md.'),
    }),
  brings: ({ gateway: { enabled, host, port } }) =>
    enabled ? { channels: [deviceChannel], listeners: [{ key: 'gateway', host, port }], unknownTools: [true] } : {},
  *warnings({ gateway: { enabled, host } }) {
    if (enabled && !/^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host))
      yield (language) => gatewaySettingWords[language].unencrypted({ host });
  },
});

export type DeviceSettings = SettingsOf<typeof deviceSettings>;
