import type { FeatureCore } from '../../../feature-points.ts';
import { withTimeout } from '../../../lib/clock.ts';
import { guardedAgent, networkRules, systemLookup, WebError } from '../../../tools/guard/network/network-rules.ts';
import { encrypted } from './encrypt.ts';
import type { Subscription } from './subscription.ts';
import { authorization, type SigningKey } from './vapid.ts';

export type SendCore = Pick<FeatureCore, 'config' | 'network' | 'clock'>;

/** What a browser is sent. */
export interface PushMessage {
  readonly text: string;
  /** In seconds: behind that, it need not arrive any more. */
  readonly lifetime: number;
  readonly key: SigningKey;
  readonly contact: string;
}

/** For all of it, in ms. */
const longestRequest = 10_000;

/**
 * Hands the message to the push service. Resolves with its status. Follows no redirect, reads no answer, and reaches this
 * machine and its network only where the operator has opened them for tools. Rejects if nobody has taken it.
 */
export async function send(
  message: PushMessage,
  { endpoint, p256dh, auth }: Subscription,
  { config, network, clock, signal }: SendCore & { readonly signal: AbortSignal },
): Promise<number> {
  const url = new URL(endpoint);
  const refusal = refusalOf(url, config);
  if (refusal !== undefined) throw new WebError(refusal, { reachedNobody: true });
  const { permits } = networkRules(config.tools.network.allow_private);
  const reader = { p256dh: Buffer.from(p256dh, 'base64url'), auth: Buffer.from(auth, 'base64url') };
  return withTimeout({ clock, milliseconds: longestRequest, signal }, async (ends) => {
    const { request, dispatcher } = await guardedAgent({ url, permits, lookup: systemLookup, network, signal: ends });
    try {
      const { statusCode } = await request(url, {
        dispatcher,
        method: 'POST',
        headers: {
          authorization: authorization({ endpoint: url, contact: message.contact, now: clock.now() }, message.key),
          'content-encoding': 'aes128gcm',
          'content-type': 'application/octet-stream',
          ttl: String(message.lifetime),
          urgency: 'high',
          // What a browser that is away has not got yet is replaced.
          topic: 'waiting',
        },
        body: encrypted(message.text, reader),
        reset: true,
        signal: ends,
      });
      return statusCode;
    } finally {
      await dispatcher.destroy();
    }
  });
}

/** Why nothing is sent there, by its address alone: English, for the log. */
export function refusalOf(url: URL, { tools }: SendCore['config']): string | undefined {
  return networkRules(tools.network.allow_private).refuse(url);
}
