import { directNetwork, type Network } from './network.ts';
import { type ProxySettings, proxyFinder } from './proxy-settings.ts';

/** Connects nothing. Loads the HTTP client only if there is a proxy. */
export async function openNetwork(settings: ProxySettings): Promise<Network> {
  if (settings.http === undefined && settings.https === undefined) return directNetwork;
  const { proxiedNetwork } = await import('./proxied-network.ts');
  return { ...proxiedNetwork(proxyFinder(settings)), settings };
}
