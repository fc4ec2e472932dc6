import { useState } from 'preact/hooks';
import { Confirm } from '../components/dialog.tsx';
import { say } from '../lib/language.ts';
import { leaveLink, takeLink } from '../lib/session.ts';
import { toast } from '../lib/toasts.ts';
import { shellWords } from './words.ts';

/** Asks whether a link that was opened is to sign in, in the place of who is signed in. */
export function OtherLink({ name }: { readonly name: string }) {
  const words = say(shellWords);
  const [isBusy, setBusy] = useState(false);
  return (
    <Confirm
      title={words.otherLink}
      action={words.signInByLink}
      isBusy={isBusy}
      onClose={leaveLink}
      onConfirm={() => {
        setBusy(true);
        void takeIt(words.signInFault);
      }}
    >
      <p>{words.otherLinkHelp({ name })}</p>
    </Confirm>
  );
}

async function takeIt(faultWords: string): Promise<void> {
  const fault = await takeLink();
  if (fault !== undefined) toast(fault || faultWords, 'fault');
}
