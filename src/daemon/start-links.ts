import type { Services } from './services.ts';

type LinkParts = Pick<Services, 'adapters' | 'owners' | 'claimCode' | 'startLinkKnown'>;

/** Tells the operator where a channel can be opened to claim Keyturn, for as long as nobody owns it: each link once. */
export interface StartLinks {
  /** Call it when the channel is connected. */
  tell(channel: string): void;
}

export function createStartLinks({ adapters, owners, claimCode, startLinkKnown }: LinkParts): StartLinks {
  const told = new Set<string>();
  return {
    tell(channel) {
      if (startLinkKnown === undefined || !owners.isUnclaimed()) return;
      const link = adapters.get(channel)?.startLink?.(claimCode);
      if (link === undefined || told.has(link.url) || !isAddress(link.url)) return;
      told.add(link.url);
      startLinkKnown(channel, link);
    },
  };
}

/** It is printed: a channel of others may say anything. */
function isAddress(url: unknown): boolean {
  return typeof url === 'string' && /^https?:\/\/[\x21-\x7e]{1,500}$/.test(url);
}
