import { z } from 'zod';
import { toolCategories } from '../tools/tool.ts';
import { block, bytes, count, listOf, off, on, seconds, text, toolPattern, whole } from './setting-kinds.ts';

/** The WebSocket and HTTP server for phones, browsers and scripts. */
export const gatewaySettings = block({
  enabled: off.describe('Whether devices can connect. Each is paired by its owner: /device NAME.'),
  host: text
    .default('127.0.0.1')
    .describe('The address that it listens at. For others than this machine, put a reverse proxy with TLS before it.'),
  port: whole(42_617, 0, 65_535).describe('The port. 0: any that is free.'),
  allowed_hosts: listOf(
    z.string().regex(/^[a-z0-9._:[\]-]+$/i, 'expected a host such as "keyturn.example.com", without a port'),
  ).describe('Names by which devices may call it, beside localhost, 127.0.0.1, [::1] and host.'),
  allowed_origins: listOf(
    z.string().regex(/^[a-z][a-z0-9+.-]*:\/\/[^\s/]+$/i, 'expected an origin such as "https://app.example.com"'),
  ).describe('Web pages that may connect, by their origins: "https://app.example.com".'),
  max_frame_bytes: whole(1_048_576, 1024, 16_777_216).describe('The longest frame that a device may send.'),
  max_frames_per_sec: count(100, 10_000).describe(
    'A device that sends more than that, for longer than a moment, is cut off.',
  ),
  hello_secs: seconds(10).describe('How long a request may take to arrive, and a device to say its first word.'),
  ping_secs: seconds(20).describe(
    'How often a device is asked whether it is there. One that twice says nothing is cut off.',
  ),
  idle_secs: seconds(86_400).describe('A device that sends nothing for this long is disconnected. It may come back.'),
  code_secs: seconds(600).describe('How long a code is good for that a device is paired with.'),
  max_connections: count(256, 10_000).describe('How many may be connected at a time.'),
  max_connections_per_person: count(10, 1000).describe(
    'How many devices and pages of one person may be connected at a time.',
  ),
  max_devices_per_person: count(20, 1000).describe('How many devices one person may pair.'),
  max_sessions_per_person: count(10_000, 1_000_000).describe(
    'How many sessions one person may begin on their devices.',
  ),
});

const callTime = z.number().int().min(1).max(600);

/** The tools that devices may offer through the gateway, and how they are called. */
export const remoteToolSettings = block({
  enabled: on.describe('Whether devices may offer tools. false: they can only chat.'),
  allowed: z
    .record(text, z.array(toolPattern))
    .default({ '*': ['*'] })
    .describe(
      'Which tools a device may offer, by its id or name: names, "prefix*", "*suffix" or "*". "*": all other devices.',
    ),
  categories: z
    .record(toolPattern, z.enum(toolCategories))
    .default({})
    .describe('What the tools touch: approval goes by it. All others are hardware, so that each call asks.'),
  timeout_secs: callTime
    .default(30)
    .describe(
      'A call without a sign of life for so long is given up. At most 600, which no call may take longer than.',
    ),
  timeouts: z.record(toolPattern, callTime).default({}).describe('The same for some tools, in seconds.'),
  max_result_bytes: bytes(10_485_760).describe('The most that is taken of one result, text and files together.'),
  idempotent: listOf(toolPattern).describe(
    'Tools that do no harm if they run twice: asked again when their device was disconnected and is back.',
  ),
});
