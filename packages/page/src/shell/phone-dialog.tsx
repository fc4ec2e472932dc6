import { useEffect, useState } from 'preact/hooks';
import type { PhoneLink } from '../../../../src/features/page/wire/me.ts';
import './phone-dialog.css';
import { Copy } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Skeleton } from '../components/empty.tsx';
import { Notice } from '../components/notice.tsx';
import { tell } from '../lib/ask.ts';
import { say } from '../lib/language.ts';
import { shellWords } from './words.ts';

type Link =
  | { readonly state: 'comes' }
  | { readonly state: 'here'; readonly url: string; readonly size: number; readonly dark: string }
  | { readonly state: 'missing'; readonly why: string };

/** A link for the same person that a phone can read from the screen. */
export function PhoneDialog({ onClose }: { readonly onClose: () => void }) {
  const words = say(shellWords);
  const [link, setLink] = useState<Link>({ state: 'comes' });
  useEffect(() => {
    let isMeant = true;
    void phoneLink().then((made) => {
      if (isMeant) setLink(made);
    });
    return () => {
      isMeant = false;
    };
  }, []);
  return (
    <Dialog title={words.phone} onClose={onClose}>
      {link.state === 'comes' && <Skeleton lines={6} />}
      {link.state === 'missing' && <Notice kind="warning">{link.why || words.phoneMissing}</Notice>}
      {link.state === 'here' && (
        <div class="phone-dialog">
          <p>{words.phoneHelp}</p>
          <svg
            viewBox={`0 0 ${link.size} ${link.size}`}
            role="img"
            aria-label={words.qrCode}
            shape-rendering="crispEdges"
          >
            <path d={link.dark} />
          </svg>
          <details>
            <summary>{words.phoneLink}</summary>
            <code>{link.url}</code> <Copy text={link.url} />
          </details>
        </div>
      )}
    </Dialog>
  );
}

async function phoneLink(): Promise<Link> {
  try {
    const [{ url }, { encode }] = await Promise.all([tell<PhoneLink>('phone'), import('uqr')]);
    const { data, size } = encode(url, { border: 2 });
    return { state: 'here', url, size, dark: squares(data) };
  } catch (error) {
    return { state: 'missing', why: error instanceof Error ? error.message : '' };
  }
}

/** The dark squares as a path of an SVG. */
function squares(rows: readonly (readonly boolean[])[]): string {
  return rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
}
