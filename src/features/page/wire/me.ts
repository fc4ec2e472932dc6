/* What the page is told of the person who signed in. */

export interface Me {
  readonly name: string;
  readonly isOwner: boolean;
  readonly language: 'en' | 'zh';
  /** Of Keyturn. */
  readonly version: string;
  /** The account of this browser: `device:k3f9abcd2m`. */
  readonly principal: string;
  /** All accounts of the person, those of devices last. */
  readonly accounts: readonly MyAccount[];
  readonly deviceId: string;
  /** The name of this browser. */
  readonly deviceName: string;
  /** Of what is said of money, as ISO 4217 has it. */
  readonly currency: string;
}

export interface MyAccount {
  readonly principal: string;
  readonly channel: string;
}

/** `POST /signin` with `{ticket}`. */
export interface SignedIn {
  /** The half of the proof that the page keeps. */
  readonly key: string;
}

/** `POST /page/phone`: a link that signs in the same person, from another machine. */
export interface PhoneLink {
  readonly url: string;
  /** In ms since 1970. */
  readonly goodUntil: number;
}
