// The texts of logging in and signing up, for all forms.

export const account = {
  email: "Email",
  password: "Password",
  name: "What should people call you?",
  nameHint: "Optional. You can change it later.",
  passwordHint: "At least 10 characters. A few plain words work well.",
  withPasskey: "Log In with a Passkey",
  logInFailed: "Error logging in. Please try again.",
  signUpFailed: "Your account could not be made just now. Your words are kept. Please try again.",
  closed: "This Mellow isn't open to new people right now.",
  needsInvite: "You need an invitation to sign up here.",
  forgot: "Forgot your password?",
  invites: "{name} invites you to Mellow",
  newHere: "New here?",
  haveAccount: "Already have an account?",
  ended: "Your login has ended. Log in again and everything you were writing is still here.",
} as const;

/** What is inside, for a guest with an invitation. */
export const inside = [
  "Newest first. Nothing is ranked.",
  "No numbers to chase.",
  "It ends. Then you can go.",
] as const;
