import { X509Certificate } from 'node:crypto';
import type { NetworkError } from '../../http.ts';

/** The certificates in the text of a PEM file, or what is wrong with it, in words for the operator. */
export function readCertificates(pem: string): readonly string[] | string {
  const blocks = pem.match(
    /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g,
  );
  if (blocks === null) {
    return /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)
      ? 'it holds a private key and no certificate'
      : 'it holds no certificate in PEM form ("-----BEGIN CERTIFICATE-----"). A DER file becomes one with: openssl x509 -inform der -in FILE -out FILE.pem';
  }
  const bad = blocks.findIndex((block) => !isCertificate(block));
  return bad === -1 ? blocks : `certificate ${bad + 1} of ${blocks.length} in it is damaged`;
}

/** Those that Node does not bring itself, each once. Files of a system hold nearly the same as Node. */
export function besidesNodes(certificates: readonly string[]): readonly string[] {
  if (certificates.length === 0) return [];
  const bare = (pem: string): string => pem.replace(/\s/g, '');
  const brought = new Set(process.getBuiltinModule('node:tls').rootCertificates.map(bare));
  return [...new Set(certificates)].filter((pem) => !brought.has(bare(pem)));
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
  setDefaultCACertificates([...new Set([...own, ...extra])]);
  return true;
}

/**
 * Why a secure connection to `place` (a host or address, for people) was refused by us, and what to do: sentences for the
 * operator. Undefined if the error is about something else.
 */
export function certificateWords({ code = '', message }: NetworkError, place: string): string | undefined {
  const name = code === 'EPROTO' && /wrong version number/i.test(message) ? 'ERR_SSL_WRONG_VERSION_NUMBER' : code;
  const [, words] = faults.find(([codes]) => codes.test(name)) ?? [];
  return words?.replaceAll('PLACE', () => place).replaceAll('CODE', () => name);
}

const clock = "set this machine's clock, if it is wrong";

/** By the codes of OpenSSL and Node: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const faults = `
UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|SELF_SIGNED_CERT_IN_CHAIN|CERT_UNTRUSTED|INVALID_CA The certificate of PLACE comes from an authority that this machine does not know (CODE), such as a company's own. Put the certificate of that authority into a file, and name it in network.ca_file of the config, or in NODE_EXTRA_CA_CERTS.
DEPTH_ZERO_SELF_SIGNED_CERT PLACE shows a certificate that nobody but itself has signed (CODE). If it is yours, name the certificate's file in network.ca_file of the config, or in NODE_EXTRA_CA_CERTS.
CERT_HAS_EXPIRED The certificate of PLACE has expired (CODE). Its operator has to renew it; or ${clock}.
CERT_NOT_YET_VALID The certificate of PLACE is not valid yet (CODE): ${clock}.
ERR_TLS_CERT_ALTNAME_.* The certificate of PLACE is for another name (CODE). Correct the address, or ask its operator for a certificate with this name.
CERT_REVOKED The certificate of PLACE was revoked (CODE). Ask its operator.
ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST|ERR_SSL_(?:SSL\\/)?TLS_UNEXPECTED_.* What answers at PLACE does not speak https (CODE), so there is no certificate: it may be a server for http, or something between. Correct the address: its port, or http:// in place of https://.
ERR_SSL_.*(?:PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|NO_CIPHERS|HANDSHAKE_FAILURE).* PLACE and this machine found no kind of encryption that both know (CODE), so no certificate was checked. Its operator has to update it.
CERT_.*|(?:ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|ERROR_IN_CERT|ERR_SSL_CERTIFICATE).* The certificate of PLACE cannot be verified (CODE). If a company's own authority has signed it, name that authority's certificate in network.ca_file of the config, or in NODE_EXTRA_CA_CERTS.`
  .trim()
  .split('\n')
  .map((line) => {
    const [codes = '', ...words] = line.split(' ');
    return [new RegExp(`^(?:${codes})$`), words.join(' ')] as const;
  });
