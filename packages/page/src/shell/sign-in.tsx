import { useEffect, useRef } from 'preact/hooks';
import './sign-in.css';
import { Button } from '../components/button.tsx';
import { Notice } from '../components/notice.tsx';
import { language, say } from '../lib/language.ts';
import { isLinkOffered, takeLink } from '../lib/session.ts';
import { shellWords } from './words.ts';

/** Tells somebody who is not signed in how to get in. */
export function SignIn({ fault }: { readonly fault: string | undefined }) {
  const words = say(shellWords);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <main class="sign-in">
      <h1 ref={heading} tabIndex={-1}>
        {words.signInTitle}
      </h1>
      {fault !== undefined && <Notice kind="danger">{fault === '' ? words.signInFault : fault}</Notice>}
      {isLinkOffered.value && (
        <>
          <p>{words.linkWaits}</p>
          <Button style="primary" onPress={() => void takeLink()}>
            {words.signInByLink}
          </Button>
        </>
      )}
      <p>{words.signInHelp}</p>
      <ul>
        <li>
          {words.signInChat}: <code>/web</code>
        </li>
        <li>
          {words.signInTerminal}: <code>keyturn web</code>
        </li>
        <li>{words.signInStart}</li>
      </ul>
      <Button
        style="quiet"
        onPress={() => {
          language.value = language.value === 'en' ? 'zh' : 'en';
        }}
      >
        {language.value === 'en' ? words.chinese : words.english}
      </Button>
    </main>
  );
}
