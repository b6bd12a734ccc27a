// The names of the languages, each in itself.

/** Mellow's own languages by their tags, in the order in which they are offered. */
export const OWN = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  pl: "Polski",
  "pt-BR": "Português (Brasil)",
  uk: "Українська",
  ja: "日本語",
  ar: "العربية",
} as const;

/** The languages that the host added or corrected. */
const ofHost = JSON.parse(document.documentElement.dataset["languages"] ?? "{}") as Readonly<
  Record<string, string>
>;

/** All languages by their tags: Mellow's own first. */
export const languages: Readonly<Record<string, string>> = { ...OWN, ...ofHost, ...OWN };
