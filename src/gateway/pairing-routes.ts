import type { DeviceBook } from '../conversation/devices/device-book.ts';
import { isJsonObject, parseJson } from '../lib/json.ts';
import type { Lockout } from './lockout.ts';
import type { Metrics } from './metrics.ts';
import type { RequestContext, Route } from './routes.ts';
import { type Tickets, ticketLifetime } from './tickets.ts';

export interface PairingRoutesDependencies {
  readonly devices: DeviceBook;
  readonly lockout: Lockout;
  readonly tickets: Tickets;
  readonly metrics: Metrics;
}

/** How a device gets its token, and a browser its ticket. */
export function pairingRoutes(dependencies: PairingRoutesDependencies): readonly Route[] {
  const { tickets } = dependencies;
  return [
    { method: 'POST', path: '/pair', who: 'anybody', handle: (context) => pair(context, dependencies) },
    {
      method: 'POST',
      path: '/api/ticket',
      who: 'device',
      handle: (context, device) =>
        context.json({ ticket: tickets.issue(device.id), expires_in: ticketLifetime / 1000 }),
    },
  ];
}

async function pair(
  context: RequestContext,
  { devices, lockout, metrics }: PairingRoutesDependencies,
): Promise<Response> {
  // Whatever a proxy or a liar says of where it comes from does not count.
  const address = context.env.incoming.socket.remoteAddress ?? '';
  const wait = lockout.waitOf(address);
  if (wait > 0) {
    const seconds = Math.ceil(wait / 1000);
    context.header('Retry-After', String(seconds));
    return context.json({ error: `Too many wrong codes. Try again in ${seconds} s.` }, 429);
  }
  const code = context.req.header('x-pairing-code') ?? '';
  // Before anything is awaited: guesses that come together count as well.
  lockout.take(address);
  const name = await nameIn(context);
  const paired = code === '' ? undefined : await devices.pair(code, name);
  if (paired === undefined) {
    metrics.count('pairing_failures');
    return context.json({ error: 'This code is not good, or no longer. Ask for another: /device in the chat.' }, 403);
  }
  lockout.forgive(address);
  const { device, token } = paired;
  const message = `Paired as "${device.name}". Keep the token: it is shown once.`;
  return context.json({ paired: true, persisted: true, token, device_id: device.id, message });
}

/** What the device calls itself, if it says so. */
async function nameIn(context: RequestContext): Promise<string | undefined> {
  const body = parseJson(await context.req.text());
  return isJsonObject(body) && typeof body.device_name === 'string' ? body.device_name : undefined;
}
