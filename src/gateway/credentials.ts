/** With what somebody says who he is. */
export type Credential =
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'ticket'; readonly ticket: string }
  /** A token in the address stands in logs and histories: it is refused, whether it is right or not. */
  | { readonly type: 'token-in-url' }
  | { readonly type: 'none' };

/** Where a credential may stand. */
export interface CredentialPlaces {
  readonly authorization: string | undefined;
  /** The header `Sec-WebSocket-Protocol`. */
  readonly protocols: string | undefined;
  readonly query: URLSearchParams;
}

/** The first that is there, in this order: header, subprotocol, ticket. One that is empty does not count. */
export function credentialOf({ authorization = '', protocols = '', query }: CredentialPlaces): Credential {
  if ((query.get('token') ?? '') !== '') return { type: 'token-in-url' };
  const [, bearer = ''] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (bearer !== '') return { type: 'token', token: bearer };
  const offered = protocolsOf(protocols).find((protocol) => protocol.startsWith(prefix) && protocol !== prefix);
  if (offered !== undefined) return { type: 'token', token: offered.slice(prefix.length) };
  const ticket = query.get('ticket') ?? '';
  return ticket === '' ? { type: 'none' } : { type: 'ticket', ticket };
}

/** The protocol of this door, which is the only one that it ever names. */
export const ownProtocol = 'clawseed.v1';

const prefix = 'bearer.';

function protocolsOf(header: string): readonly string[] {
  return header.split(',').map((protocol) => protocol.trim());
}
