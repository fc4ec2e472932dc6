import { X509Certificate } from 'node:crypto';
import type { NetworkError } from '../../http.ts';
import { type InLanguage, type Words, wordsIn } from '../../words.ts';
import { certificateFaultWords, certificateFileWords } from './words.ts';

/** The certificates in the text of a PEM file, or what is wrong with it, for the operator, to follow a colon. */
export function readCertificates(pem: string, brought: BroughtCertificates): readonly string[] | InLanguage {
  const blocks = pem.match(
    /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g,
  );
  if (blocks === null) {
    const fault = /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem) ? 'onlyPrivateKey' : 'noPem';
    return (language) => certificateFileWords[language][fault];
  }
  // Files of a system hold nearly the same as Node, and reading each of those takes milliseconds.
  const bad = blocks.findIndex((block) => !brought.has(bare(block)) && !isCertificate(block));
  const damaged = { number: bad + 1, count: blocks.length };
  return bad === -1 ? blocks : (language) => certificateFileWords[language].damaged(damaged);
}

/** The certificates that Node brings itself, without white space. */
export type BroughtCertificates = ReadonlySet<string>;

export function broughtByNode(): BroughtCertificates {
  return new Set(process.getBuiltinModule('node:tls').rootCertificates.map(bare));
}

/** Those that Node does not bring itself, each once. */
export function besidesNodes(certificates: readonly string[], brought: BroughtCertificates): readonly string[] {
  return [...new Set(certificates)].filter((pem) => !brought.has(bare(pem)));
}

function bare(pem: string): string {
  return pem.replace(/\s/g, '');
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/**
 * Trusts these certificates (PEM) beside those that Node trusts, for every connection that this process opens from now
 * on, whatever library opens it; an earlier call's no longer. Returns whether this Node can do that (from 22.19 on).
 */
export function trustCertificates(extra: readonly string[]): boolean {
  const { getCACertificates, setDefaultCACertificates } = process.getBuiltinModule('node:tls');
  if (typeof setDefaultCACertificates !== 'function') return false;
  const own = [...getCACertificates('bundled'), ...getCACertificates('extra')];
  const wanted = new Map([...own, ...extra].map((pem) => [bare(pem), pem]));
  const now = new Set(getCACertificates('default').map(bare));
  // Node trusts the file of a variable by itself. Setting the same again would take it 15 ms.
  const isSame = now.size === wanted.size && [...now].every((pem) => wanted.has(pem));
  if (!isSame) setDefaultCACertificates([...wanted.values()]);
  return true;
}

/**
 * Why a secure connection to `place` (a host or address, for people) was refused by us, and what to do: sentences for the
 * operator. Undefined if the error is about something else.
 */
export function certificateWords({ code = '', message }: NetworkError, place: Words): InLanguage | undefined {
  const name = code === 'EPROTO' && /wrong version number/i.test(message) ? 'ERR_SSL_WRONG_VERSION_NUMBER' : code;
  const found = faults.find(({ codes }) => codes.test(name));
  return (
    found &&
    ((language) => certificateFaultWords[language][found.fault]({ place: wordsIn(language, place), code: name }))
  );
}

/** By the codes of OpenSSL and Node: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const faults = [
  {
    codes:
      /^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|SELF_SIGNED_CERT_IN_CHAIN|CERT_UNTRUSTED|INVALID_CA)$/,
    fault: 'unknownAuthority',
  },
  { codes: /^DEPTH_ZERO_SELF_SIGNED_CERT$/, fault: 'selfSigned' },
  { codes: /^CERT_HAS_EXPIRED$/, fault: 'expired' },
  { codes: /^CERT_NOT_YET_VALID$/, fault: 'notYetValid' },
  { codes: /^ERR_TLS_CERT_ALTNAME_.*$/, fault: 'otherName' },
  { codes: /^CERT_REVOKED$/, fault: 'revoked' },
  {
    codes:
      /^(?:ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST|ERR_SSL_(?:SSL\/)?TLS_UNEXPECTED_.*)$/,
    fault: 'notHttps',
  },
  {
    codes: /^ERR_SSL_.*(?:PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|NO_CIPHERS|HANDSHAKE_FAILURE).*$/,
    fault: 'noCommonEncryption',
  },
  {
    codes:
      /^(?:CERT_.*|(?:ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|ERROR_IN_CERT|ERR_SSL_CERTIFICATE).*)$/,
    fault: 'unverifiable',
  },
] as const;
