import { createECDH } from 'node:crypto';
import { expect, test } from 'vitest';
import { encrypted, isPointOfCurve } from '../../../../src/features/page/push/encrypt.ts';
import { authorization, newSigningKey, readSigningKey } from '../../../../src/features/page/push/vapid.ts';
import { claimsIn, PushReader } from '../../../support/page/push-service.ts';

/** RFC 8291, appendix A. */
const example = {
  text: 'When I grow up, I want to be a watermelon',
  senderPublic: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  senderPrivate: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  readerPublic: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  readerPrivate: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
} as const;
const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

test('a message is encrypted as in the example of RFC 8291', () => {
  const sender = createECDH('prime256v1');
  sender.setPrivateKey(bytes(example.senderPrivate));
  expect(sender.getPublicKey('base64url')).toBe(example.senderPublic);
  const reader = { p256dh: bytes(example.readerPublic), auth: bytes(example.auth) };
  const body = encrypted(example.text, reader, { sender, salt: bytes(example.salt) });
  expect(body.toString('base64url')).toBe(example.body);
});

test('the reader of the tests reads that example', () => {
  const [privateKey, auth] = [bytes(example.readerPrivate), bytes(example.auth)];
  expect(new PushReader('', { privateKey, auth }).read(bytes(example.body))).toBe(example.text);
});

test('two messages of the same text have nothing in common, and only their reader reads them', () => {
  const [reader, other] = [new PushReader('https://push.test/a'), new PushReader('https://push.test/b')];
  const { p256dh, auth } = reader.subscription.keys;
  const keys = { p256dh: bytes(p256dh), auth: bytes(auth) };
  const [one, two] = [encrypted('等待你决定', keys), encrypted('等待你决定', keys)];
  expect([reader.read(one), reader.read(two)]).toEqual(['等待你决定', '等待你决定']);
  expect(one.subarray(0, 16).equals(two.subarray(0, 16))).toBe(false);
  expect(one.subarray(21, 86).equals(two.subarray(21, 86))).toBe(false);
  expect(() => other.read(one)).toThrow();
});

test('only points of the curve are keys', () => {
  const point = bytes(example.readerPublic);
  expect(isPointOfCurve(point)).toBe(true);
  const beside = Buffer.from(point);
  beside.writeUInt8(beside.readUInt8(64) ^ 1, 64);
  for (const wrong of [beside, Buffer.alloc(0), Buffer.alloc(65), Buffer.alloc(65, 4), point.subarray(0, 64)])
    expect(isPointOfCurve(wrong)).toBe(false);
});

test('a service can see who sends, and for how long that holds', () => {
  const key = readSigningKey(newSigningKey());
  const endpoint = new URL('https://push.test:8443/secret/path');
  const header = authorization({ endpoint, contact: 'https://keyturn.example.com', now: 1_000_500 }, key);
  expect(claimsIn(header)).toEqual({
    key: key.publicKey,
    claims: { aud: 'https://push.test:8443', exp: 44_200, sub: 'https://keyturn.example.com' },
  });
  expect(isPointOfCurve(bytes(key.publicKey))).toBe(true);
});
