import type { Device } from '../conversation/devices/device-store.ts';
import type { JsonObject } from '../lib/json.ts';
import type { RequestContext, Route } from './routes.ts';
import { socketPath } from './routes.ts';

export interface PlainRoutesDependencies {
  readonly toolsFor: (device: Device) => Promise<readonly JsonObject[]>;
  /** As Prometheus reads it. */
  readonly metrics: () => string;
}

/** Whether it lives, what it counts, and what tools there are. */
export function plainRoutes({ toolsFor, metrics }: PlainRoutesDependencies): readonly Route[] {
  const health = (context: RequestContext): Response => context.json({ status: 'ok', require_pairing: true });
  return [
    { method: 'GET', path: '/healthz', who: 'anybody', handle: health },
    { method: 'GET', path: '/health', who: 'anybody', handle: health },
    {
      method: 'GET',
      path: '/metrics',
      who: 'owner',
      handle: (context) => context.text(metrics(), 200, { 'Content-Type': 'text/plain; version=0.0.4' }),
    },
    {
      method: 'GET',
      path: '/api/tools',
      who: 'device',
      handle: async (context, device) => context.json({ tools: [...(await toolsFor(device))] }),
    },
    {
      method: 'GET',
      path: socketPath,
      who: 'device',
      handle: (context) => context.json({ error: 'This is for WebSockets.' }, 426, { Upgrade: 'websocket' }),
    },
  ];
}
