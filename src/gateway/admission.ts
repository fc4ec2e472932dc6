/** By which names the door may be called, and by which pages. */
export interface AdmissionSettings {
  /** Where it listens. */
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/** What a request says of how it came to be. */
export interface Approach {
  readonly host: string | undefined;
  /** Only browsers say so. */
  readonly origin: string | undefined;
}

const local: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Why a request is not let in before anybody asks who sends it; undefined if it may be. A page that has made its own name
 * lead to this machine calls the door by that name; a page of somebody else says from where it is.
 */
export function refusalOf({ host, origin }: Approach, settings: AdmissionSettings): string | undefined {
  if (!isKnownHost(host, settings)) return 'This door is not called by that name: see gateway.allowed_hosts.';
  if (origin !== undefined && !isKnownOrigin(origin, host, settings))
    return 'Pages from there may not connect: see gateway.allowed_origins.';
  return undefined;
}

function isKnownHost(host: string | undefined, { host: own, allowedHosts }: AdmissionSettings): boolean {
  const name = nameOf(host ?? '');
  const isOwn = name === own.toLowerCase() || name === `[${own.toLowerCase()}]`;
  return isOwn || local.includes(name) || allowedHosts.some((allowed) => allowed.toLowerCase() === name);
}

/** Whether a page may connect: one that this door has served itself, or one that the config names. */
export function isKnownOrigin(
  origin: string,
  host: string | undefined,
  { allowedOrigins }: Pick<AdmissionSettings, 'allowedOrigins'>,
): boolean {
  const said = origin.toLowerCase();
  const isOwn = host !== undefined && [`http://${host.toLowerCase()}`, `https://${host.toLowerCase()}`].includes(said);
  return isOwn || allowedOrigins.some((allowed) => allowed.toLowerCase() === said);
}

/** Without the port. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '');
}
