' Says in words why a cell shows #VALUE!, also where Python does not start.
Option Explicit
Option Private Module

Public Function SizebookState() As String
    Dim answer As Variant
    ForgetPython
    SizebookState = StartCause()
    If SizebookState <> "" Then Exit Function
    On Error GoTo Failed
    answer = OneOf(CallPython("SIZEBOOK_VERSION", Array()))
    SizebookState = "sizebook works." & vbCrLf & answer & vbCrLf & "Python: " & Setting("interpreter")
    Exit Function
Failed:
    SizebookState = WhyNot(Err.Number, Err.Description)
End Function

' What SIZEBOOK_WHY shows when its own call fails.
Public Function WhyNot(ByVal number As Long, ByVal text As String) As String
    WhyNot = StartCause()
    If WhyNot <> "" Then Exit Function
    If number = IN_WORDS Then WhyNot = text Else WhyNot = Said("call", text)
End Function

' What is missing of all that a start needs, in the order in which it is needed; nothing where all is there.
Public Function StartCause() As String
    Dim interpreter As String
    interpreter = Setting("interpreter")
    If InStr(LCase(interpreter), "\windowsapps\") > 0 Then
        StartCause = Said("store", interpreter)
    ElseIf Not FileThere(interpreter) Then
        StartCause = Said(IIf(InStr(LCase(interpreter), "onedrive") > 0, "synced", "interpreter"), interpreter)
    ElseIf Not FileThere(LibraryPath(True)) Then
        StartCause = Said(IIf(FileThere(LibraryPath(False)), "bitness", "antivirus"), LibraryPath(True))
    Else
        StartCause = LibraryCause()
    End If
End Function

Private Function FileThere(ByVal path As String) As Boolean
    Dim attributes As Long
    On Error GoTo Absent
    attributes = GetAttr(path)
    FileThere = (attributes And vbDirectory) = 0
Absent:
End Function

' What the add-in was made with: the sheet "settings" of this file.
Public Function Setting(ByVal key As String) As String
    Dim rows As Variant, i As Long
    rows = ThisWorkbook.Worksheets("settings").Range("A1:B{n_settings}").Value
    For i = 1 To {n_settings}
        If rows(i, 1) = key Then Setting = rows(i, 2)
    Next i
End Function

Public Function Said(ByVal cause As String, ByVal got As String) As String
    Select Case cause
{causes}
    End Select
    Said = Replace(Said, "{got}", got)
End Function
