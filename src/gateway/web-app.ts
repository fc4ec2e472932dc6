import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import type { Log } from '../lib/log.ts';
import { type AdmissionSettings, isKnownOrigin, refusalOf } from './admission.ts';
import type { Metrics } from './metrics.ts';
import type { PeopleGate } from './people-gate.ts';
import type { RequestContext, Route } from './routes.ts';

export interface WebAppDependencies {
  readonly routes: readonly Route[];
  readonly gate: PeopleGate;
  readonly settings: AdmissionSettings;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Nothing that is asked for over HTTP needs more. */
const longestBody = 16 * 1024;

/** What answers over HTTP: the routes, each for whom it is for, and nothing else. */
export function webApp(dependencies: WebAppDependencies): Hono<{ Bindings: HttpBindings }> {
  const { routes, settings, metrics, log } = dependencies;
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(async (context, next) => {
    context.header('X-Content-Type-Options', 'nosniff');
    context.header('Cache-Control', 'no-store');
    const reason = refusalOf({ host: context.req.header('host'), origin: context.req.header('origin') }, settings);
    if (reason === undefined) return next();
    metrics.count('refused');
    return context.json({ error: reason }, 403);
  });
  app.use(
    cors({
      // Others were sent away before.
      origin: (origin, context) => (isKnownOrigin(origin, context.req.header('host'), settings) ? origin : null),
      allowHeaders: ['Authorization', 'Content-Type', 'X-Pairing-Code'],
      allowMethods: ['GET', 'POST'],
    }),
  );
  app.use(async (context, next) => {
    if (context.req.header('transfer-encoding') !== undefined)
      return context.json({ error: 'Say how long the body is.' }, 411);
    if (Number(context.req.header('content-length') ?? 0) > longestBody)
      return context.json({ error: 'The body is too long.' }, 413);
    return next();
  });
  for (const route of routes) app.on(route.method, route.path, (context) => answer(route, context, dependencies));
  app.notFound((context) => context.json({ error: 'There is nothing here.' }, 404));
  app.onError((error, context) => {
    log.error({ err: error, path: context.req.routePath }, 'a request could not be answered');
    return context.json({ error: 'Something went wrong inside Keyturn. It is in the log.' }, 500);
  });
  return app;
}

function answer(
  route: Route,
  context: RequestContext,
  { gate, metrics }: WebAppDependencies,
): Promise<Response> | Response {
  if (route.who === 'anybody') return route.handle(context);
  const admission = gate.admit(
    {
      authorization: context.req.header('authorization'),
      protocols: undefined,
      query: new URL(context.req.url).searchParams,
    },
    { ticketsToo: route.takesTickets === true },
  );
  if (admission.type === 'refused') {
    metrics.count('refused');
    return context.json({ error: admission.reason }, admission.status);
  }
  const { device } = admission;
  if (route.who === 'owner' && !gate.isOwner(device))
    return context.json({ error: 'That is for the owners of this Keyturn.' }, 403);
  return route.handle(context, device);
}
