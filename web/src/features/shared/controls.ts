// The ids of controls that links of other pages lead to, as in `/settings#create-invitation`.

export const controls = { photo: "change-photo", invitation: "create-invitation" } as const;
