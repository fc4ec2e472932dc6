import type { ComponentChildren, Ref } from 'preact';
import './button.css';
import { Icon, type IconName } from './icon.tsx';

interface Pressed {
  /** `primary`: what is meant to be done here · `danger`: takes something away · `plain`: else · `quiet`: without a frame. */
  readonly style?: 'primary' | 'danger' | 'plain' | 'quiet';
  readonly isDisabled?: boolean | undefined;
  readonly type?: 'button' | 'submit';
  readonly onPress?: ((event: MouseEvent) => void) | undefined;
  readonly buttonRef?: Ref<HTMLButtonElement>;
}

export interface ButtonProps extends Pressed {
  readonly icon?: IconName;
  /** Something goes on because it was pressed: it cannot be pressed again. */
  readonly isBusy?: boolean;
  readonly children: ComponentChildren;
}

/** Does something when it is pressed. */
export function Button({ style = 'plain', icon, isBusy = false, isDisabled, children, ...rest }: ButtonProps) {
  return (
    <button
      ref={rest.buttonRef ?? null}
      type={rest.type ?? 'button'}
      class={`button button-${style}`}
      disabled={isDisabled === true || isBusy}
      aria-busy={isBusy}
      onClick={rest.onPress}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Pressed {
  readonly icon: IconName;
  /** What it does, for those who do not see the picture, and for those who wonder. */
  readonly name: string;
  readonly isPressed?: boolean;
  readonly isExpanded?: boolean;
}

/** A button that shows only a picture. */
export function IconButton({ style = 'quiet', icon, name, isPressed, isExpanded, ...rest }: IconButtonProps) {
  return (
    <button
      ref={rest.buttonRef ?? null}
      type={rest.type ?? 'button'}
      class={`button button-${style} button-icon`}
      disabled={rest.isDisabled === true}
      aria-label={name}
      title={name}
      aria-pressed={isPressed}
      aria-expanded={isExpanded}
      onClick={rest.onPress}
    >
      <Icon name={icon} />
    </button>
  );
}
