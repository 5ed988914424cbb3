' What a user runs with Alt+F8.
Option Explicit

' Names the cause when cells show #VALUE!.
Public Sub CheckSizebook()
    MsgBox SizebookState(), vbInformation, "sizebook"
End Sub

' The page of models and its calculator, in the browser: classic xlwings has no pane beside the sheet.
Public Sub OpenSizebookPage()
    Dim page As String
    On Error GoTo Failed
    page = OneOf(CallPython("PAGE_OF_MODELS", Array()))
    Exit Sub
Failed:
    MsgBox WhyNot(Err.Number, Err.Description), vbInformation, "sizebook"
End Sub

' Asks again for the cells that wait, once Python has all their answers. In manual mode they wait for F9.
Public Sub AnswerWaitingCells()
    On Error GoTo Failed
    If OneOf(CallPython("CALLS_WAITING", Array())) > 0 Then
        AnswerWaitingCellsLater
    ElseIf Application.Calculation <> xlCalculationManual Then
        Application.Calculate
    End If
    Exit Sub
Failed:
    ' Python has ended: the cells are asked again with the next calculation, and say what is wrong.
End Sub

Public Sub AnswerWaitingCellsLater()
    Application.OnTime Now + TimeSerial(0, 0, 1), "'" & ThisWorkbook.Name & "'!AnswerWaitingCells"
End Sub

' Run once: the function wizard shows categories and arguments from then on.
Public Sub DescribeSizebookFunctions()
    Dim problem As String
    On Error GoTo Failed
    Application.ScreenUpdating = False
    ThisWorkbook.IsAddin = False ' Excel describes no macro of a hidden workbook
{calls}
Restore:
    ' Whatever happened, the add-in is hidden again and the screen draws.
    On Error Resume Next
    ThisWorkbook.IsAddin = True
    If problem = "" And Not ThisWorkbook.ReadOnly Then ThisWorkbook.Save ' a second Excel opens it read-only
    Application.ScreenUpdating = True
    If problem <> "" Then MsgBox problem, vbInformation, "sizebook"
    Exit Sub
Failed:
    problem = "Functions not described: " & Err.Description & ". Close other windows of Excel and run it again."
    Resume Restore
End Sub

{subs}
Private Sub Describe(ByVal macro As String, ByVal heading As String, ByVal summary As String, ByVal texts As Variant)
    Application.MacroOptions Macro:="'" & ThisWorkbook.Name & "'!" & macro, _
        Description:=summary, Category:=heading, ArgumentDescriptions:=texts
End Sub
